import { compareRows, type Row } from "./support/run.ts";

const basenc = (argv: string[], stdin = "Hello, world! \u00e4\n"): Row => ({ argv, stdin });

compareRows([
  ...["base64", "base64url", "base32", "base32hex", "base16", "base2msbf", "base2lsbf"].flatMap((name) => [
    basenc(["basenc", `--${name}`]),
    basenc(
      ["basenc", `--${name}`, "-w", "0"],
      "\udcff\udcfe?>\udc80 and so on, for more than one line of output it must be long",
    ),
    basenc(["basenc", `--${name}`], "a"),
    basenc(["basenc", `--${name}`], "ab"),
    basenc(["basenc", `--${name}`], "abcd"),
    basenc(["basenc", `--${name}`], ""),
    basenc(["basenc", `--${name}`, "-d"], "@@@"),
  ]),
  basenc(["basenc", "--z85"], "12345678"),
  basenc(["basenc", "--z85"], "\udcff\udcff\udcff\udcff"),
  basenc(["basenc", "--z85", "-d"], "xK#0@zY<mx\n"),
  basenc(["basenc", "--z85", "-d"], "#####"),
  basenc(["basenc", "--z85"], "123"),
  basenc(["basenc", "--base16", "-d"], "48\n656C6C6F"),
  basenc(["basenc", "--base16", "-di"], "48 65-6C"),
  basenc(["basenc", "--base16", "--base64"]),
  basenc(["basenc", "--base64url", "-d"], "_-8_\n"),
  basenc(["basenc", "--base2lsbf", "-d"], "1010011000000001"),
  basenc(["base32"]),
  basenc(["base32", "-w", "10"]),
  basenc(["base32", "-d"], "JBSWY3DPFQQHO33SNRSCC===\n"),
  basenc(["base32", "-d"], "NBSWY===\n"),
  basenc(["base32", "-d"], "NB======NB======"),
  basenc(["base32", "-d"], "nbswy===\n"),
  basenc(["base32", "-di"], "N B-S@WY==="),
  basenc(["base32", "-d"], "N=======\n"),
  basenc(["base32", "-w", "x"]),
  basenc(["base32", "a", "b"]),
  basenc(["base32", "missing"]),
  basenc(["basenc"]),
]);
