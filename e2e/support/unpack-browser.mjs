// Unpacks the Chromium of an npm package into a folder: `node unpack-browser.mjs FOLDER`. The
// package always unpacks into the temporary folder of its process, so TMPDIR is set. It unpacks its
// libraries and fonts, which some systems lack, only on AWS Lambda, so that environment is set too.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const folder = resolve(process.argv[2]);
const unfinished = `${folder}.unfinished`;
rmSync(unfinished, { recursive: true, force: true });
mkdirSync(unfinished, { recursive: true });
process.env.TMPDIR = unfinished;
process.env.AWS_EXECUTION_ENV = 'AWS_Lambda_nodejs20.x';

const { default: chromium } = await import('@sparticuz/chromium');
await chromium.executablePath();
writeFileSync(
  `${unfinished}/fonts.conf`,
  `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>
`,
);
rmSync(folder, { recursive: true, force: true });
renameSync(unfinished, folder);
