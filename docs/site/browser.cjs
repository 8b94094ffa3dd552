// Open the built site in Chromium and check what only a browser sees, at two widths, light and dark:
// accessibility (axe-core), errors on the console, requests to other hosts, pages that are wider than
// the screen, and whether the search finds what people search for. Run by `make docs-browser`:
//   node browser.cjs SITE SCREENS [PAGE...]      pages by their names below; all, if none is given
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const PAGES = {
  home: "index.html",
  guide: "tables.html",
  names: "reference/index.html",
  class: "reference/tauboost.TableClassifier.html",
  gallery: "gallery.html",
  formulas: "theory.html",
  program: "examples/churn.html",
  changelog: "changelog.html",
  search: "search.html?q=total+variation",
  certificate: "search.html?q=certificate",
};
const WIDTHS = [1280, 390];
const SCHEMES = ["light", "dark"];
const GRAVE = new Set(["serious", "critical"]);
const OPTIONS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
  "--disable-background-networking", "--disable-component-update",
];

const KINDS = {
  ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript",
  ".png": "image/png", ".svg": "image/svg+xml",
};

// The site as a host would show it, to this machine only.
function serve(site) {
  const server = http.createServer((request, response) => {
    const file = path.join(site, decodeURIComponent(new URL(request.url, "http://x").pathname));
    if (!fs.existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": KINDS[path.extname(file)] ?? "application/octet-stream" });
    return fs.createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

async function main(site, screens, ...wanted) {
  fs.mkdirSync(screens, { recursive: true });
  const server = await serve(site);
  const host = `http://127.0.0.1:${server.address().port}/`;
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: OPTIONS });
  const faults = [];
  let views = 0;
  for (const colorScheme of SCHEMES) {
    for (const width of WIDTHS) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      for (const name of wanted.length ? wanted : Object.keys(PAGES)) {
        const told = (what) => faults.push(`${name}, ${width} px, ${colorScheme}: ${what}`);
        await view(context, host, PAGES[name], told, path.join(screens, `${name}-${width}-${colorScheme}.png`));
        views += 1;
      }
      await context.close();
    }
  }
  await browser.close();
  server.close();
  console.log([...faults, `${views} views, ${faults.length} faults`].join("\n"));
  process.exitCode = faults.length ? 1 : 0;
}

async function view(context, host, address, told, picture) {
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && told(`console: ${message.text()}`));
  page.on("pageerror", (error) => told(`script: ${error.message}`));
  const isOwn = (url) => url.startsWith(host) || url.startsWith("data:");
  page.on("request", (request) => isOwn(request.url()) || told(`asks ${request.url()}`));
  await page.goto(host + address);
  if (address.includes("?")) {
    await page.waitForSelector("#search-results li", { timeout: 10000 }).catch(() => told("search finds nothing"));
  }
  await page.screenshot({ path: picture });
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (excess > 0) told(`${excess} px wider than the screen`);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  for (const { id, impact, nodes } of violations) {
    if (GRAVE.has(impact)) told(`${impact} ${id}: ${nodes.length} x ${nodes[0].html.slice(0, 120)}`);
  }
  await page.close();
}

main(...process.argv.slice(2));
