import { expect, test } from "vitest";
import { chooseEntries } from "./debian-libraries.mjs";

test("the image gets libraries, the packet filter and licenses of Debian's packages, and no shell or other program", () => {
  const wanted = [
    "./lib/x86_64-linux-gnu/libc.so.6",
    "./lib64/ld-linux-x86-64.so.2",
    "./usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
    "./usr/lib/aarch64-linux-gnu/libnftables.so.1",
    "./usr/sbin/nft",
    "./usr/share/doc/libc6/copyright",
  ];
  const others = [
    ...[
      "./bin/sh",
      "./bin/dash",
      "./bin/bash",
      "./usr/bin/sh",
      "./usr/bin/perl",
      "./sbin/ldconfig",
      "./usr/sbin/iconvconfig",
    ],
    ...["./usr/bin/nft", "./usr/sbin/nft/", "./etc/passwd", "./usr/lib/locale/C.utf8/LC_CTYPE", "./usr/bin/ldd"],
    ...[
      "./usr/lib/x86_64-linux-gnu/gconv/ISO8859-1.so",
      "./usr/share/doc/libc6/changelog.gz",
      "./var/lib/dpkg/info/x",
      "",
    ],
  ];

  expect(chooseEntries([...others, ...wanted])).toEqual(wanted);
});
