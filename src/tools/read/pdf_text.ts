/**
 * The text of a PDF, page by page. The library is loaded at the first PDF; it
 * runs in the sheath, so that a document made to do harm can do none.
 */
import { getDocumentProxy } from "unpdf";

/** `problem` fits behind "it cannot be read: ". */
type PdfText =
  | {
    readonly ok: true;
    /** One text for each page that was read. */
    readonly pages: readonly string[];
    /** Pages in all. */
    readonly total: number;
  }
  | { readonly ok: false; readonly problem: string };

const MAX_PAGES = 300;
const MAX_TEXT = 4 << 20;

/** Reads up to a bound; `poll` is called between pages. The bytes may be used up by it. */
export async function pdfText(bytes: Uint8Array, poll: () => void): Promise<PdfText> {
  let document: Awaited<ReturnType<typeof getDocumentProxy>>;
  try {
    document = await getDocumentProxy(bytes, { verbosity: 0 });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: /password/i.test(text) ? "it needs a password" : "it is broken" };
  }
  try {
    const pages: string[] = [];
    let size = 0;
    for (let number = 1; number <= Math.min(document.numPages, MAX_PAGES) && size < MAX_TEXT; number++) {
      poll();
      const text = await pageText(document, number);
      size += text.length;
      pages.push(text);
    }
    return { ok: true, pages, total: document.numPages };
  } finally {
    await document.loadingTask.destroy();
  }
}

async function pageText(
  document: Awaited<ReturnType<typeof getDocumentProxy>>,
  number: number,
): Promise<string> {
  const page = await document.getPage(number);
  try {
    const { items } = await page.getTextContent();
    let text = "";
    for (const item of items) if ("str" in item) text += item.str + (item.hasEOL ? "\n" : "");
    return text.trim();
  } finally {
    page.cleanup();
  }
}
