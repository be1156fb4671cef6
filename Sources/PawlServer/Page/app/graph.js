import { svg } from "./dom.js";
import { rate } from "./format.js";
import { t } from "./i18n.js";

const WIDTH = 480;
const HEIGHT = 96;

/// The speed over the last two minutes. The scale grows at once and is a round number, so that it rarely changes.
export class Graph {
  constructor() {
    this.area = svg("path", { class: "graph-area" });
    this.line = svg("path", { class: "graph-line" });
    this.element = svg("svg", { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
    const grid = svg("path", { class: "graph-grid", d: `M0 ${HEIGHT / 2}H${WIDTH}M0 .5H${WIDTH}` });
    this.element.append(grid, this.area, this.line);
  }

  /// Returns what the upper edge stands for.
  show(samples) {
    const top = roundUp(Math.max(...samples, 1024));
    const start = WIDTH - samples.length;
    const points = samples.map((value, index) => `${start + index} ${(HEIGHT - 1 - (value / top) * (HEIGHT - 4)).toFixed(1)}`);
    const line = points.length > 1 ? `M${points.join("L")}` : "";
    this.line.setAttribute("d", line);
    this.area.setAttribute("d", line ? `${line}V${HEIGHT}H${start}Z` : "");
    this.element.setAttribute("aria-label", t("graph.label", { rate: rate(samples.at(-1) ?? 0), most: rate(Math.max(0, ...samples)) }));
    return top;
  }
}

function roundUp(value) {
  let step = 1024;
  while (step * 1000 < value) step *= 1024;
  for (let base = step; ; base *= 10) for (const factor of [1, 2, 5]) if (base * factor >= value) return base * factor;
}
