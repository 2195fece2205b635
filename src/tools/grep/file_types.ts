/** Kinds of files by their usual names, for searches in one language. */

const ENDINGS: Readonly<Record<string, string>> = {
  asm: "*.{asm,s,S}",
  c: "*.{c,h}",
  clojure: "*.{clj,cljs,cljc,edn}",
  cmake: "{CMakeLists.txt,*.cmake}",
  cpp: "*.{cc,cpp,cxx,c++,hh,hpp,hxx,h++,h,inl}",
  cs: "*.cs",
  css: "*.{css,scss,sass,less}",
  csv: "*.csv",
  dart: "*.dart",
  docker: "{Dockerfile,*.dockerfile,Dockerfile.*}",
  elixir: "*.{ex,exs,eex,heex}",
  erlang: "*.{erl,hrl}",
  go: "*.go",
  graphql: "*.{graphql,graphqls,gql}",
  haskell: "*.{hs,lhs}",
  html: "*.{html,htm,xhtml}",
  java: "*.{java,jsp}",
  js: "*.{js,jsx,mjs,cjs,vue}",
  json: "*.{json,jsonc,json5,jsonl}",
  julia: "*.jl",
  kotlin: "*.{kt,kts}",
  lua: "*.lua",
  make: "{Makefile,makefile,GNUmakefile,*.mk}",
  md: "*.{md,markdown,mdx,mdown}",
  nix: "*.nix",
  ocaml: "*.{ml,mli}",
  perl: "*.{pl,pm,t}",
  php: "*.{php,phtml}",
  proto: "*.proto",
  py: "*.{py,pyi,pyw}",
  r: "*.{r,R,Rmd}",
  ruby: "{*.rb,*.rake,*.gemspec,Rakefile,Gemfile}",
  rust: "*.rs",
  scala: "*.{scala,sbt}",
  sh: "*.{sh,bash,zsh,ksh,fish}",
  sql: "*.sql",
  svelte: "*.svelte",
  swift: "*.swift",
  tex: "*.{tex,sty,cls,bib}",
  tf: "*.{tf,tfvars,hcl}",
  toml: "*.toml",
  ts: "*.{ts,tsx,mts,cts}",
  txt: "*.txt",
  vue: "*.vue",
  xml: "*.{xml,xsd,xsl,xslt,svg,plist}",
  yaml: "*.{yaml,yml}",
  zig: "*.zig",
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  bash: "sh",
  "c++": "cpp",
  csharp: "cs",
  dockerfile: "docker",
  golang: "go",
  htm: "html",
  javascript: "js",
  jsx: "js",
  markdown: "md",
  python: "py",
  rb: "ruby",
  rs: "rust",
  shell: "sh",
  terraform: "tf",
  text: "txt",
  tsx: "ts",
  typescript: "ts",
  yml: "yaml",
};

/** The glob of a kind; undefined where there is none of that name. */
export function globOfType(name: string): string | undefined {
  const key = name.toLowerCase().replace(/^\./, "");
  const known = Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : key;
  return Object.hasOwn(ENDINGS, known) ? ENDINGS[known] : undefined;
}

/** All names that have a meaning. */
export const TYPE_NAMES: readonly string[] = [...Object.keys(ENDINGS), ...Object.keys(OTHER_NAMES)];
