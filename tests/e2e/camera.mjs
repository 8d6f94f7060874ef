// camera.mjs — pictures of the page for docs/images: in light, in dark and on a phone, with few colours.
import { mkdirSync, writeFileSync } from "node:fs";
import { fromFolder, launch } from "./harness.mjs";
import { small } from "./palette.mjs";

export const looks = {
  light: { colorScheme: "light", viewport: { width: 1200, height: 760 } },
  dark: { colorScheme: "dark", viewport: { width: 1200, height: 760 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true },
};

// Its browser is open until end(). `only`: a part of the pictures' names.
export async function openCamera(folder, only = "") {
  mkdirSync(folder, { recursive: true });
  const browser = await launch();
  const desk = await browser.newPage(); // where pictures are made small

  // `act` comes before `path` is gone to; `then` after it.
  async function shoot(base, look, name, path, act = async () => {}, more = {}, then = async () => {}) {
    const file = `${name}${look === "light" ? "" : `-${look}`}`;
    if (!file.includes(only)) return;
    const context = await browser.newContext({ baseURL: base, locale: "en-US", reducedMotion: "reduce", ...looks[look], ...more });
    await fromFolder(context);
    const page = await context.newPage();
    const ready = () => page.waitForFunction(() => document.querySelector("h1") && !document.querySelector("[aria-busy]"));
    try {
      await act(page, ready);
      if (path) {
        await page.goto(path);
        await ready();
      }
      await then(page);
      await page.waitForFunction(() => [...document.images].every((one) => one.complete));
      // Small pictures come one after the other; what cannot be drawn never does.
      await page.waitForFunction(() => [...document.querySelectorAll(".thumb")].filter((one) => one.getBoundingClientRect().top < innerHeight && !one.querySelector("img")).length <= 2, undefined, { timeout: 20_000 }).catch(() => {});
      await page.waitForTimeout(300); // pictures fade in
      const bytes = await small(desk, await page.screenshot());
      writeFileSync(`${folder}/${file}.png`, bytes);
      console.log(`${file}.png ${Math.round(bytes.length / 1024)} KiB`);
    } catch (error) {
      console.log(`${file}: ${error.message}`);
      process.exitCode = 1;
    }
    await context.close();
  }
  return { browser, shoot, end: () => browser.close() };
}
