import { h } from "./dom.js";
import { percent } from "./format.js";
import { t } from "./i18n.js";

const CELL = 9;
const GAP = 2;
const ROWS = 8;

/// Which parts of the file are stored, as cells in reading order, with the connections' positions.
export class FileMap {
  #map = null;

  constructor() {
    this.canvas = h("canvas", { class: "map", role: "img" });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  get cells() {
    return Math.max(1, Math.min(4096, this.#columns * ROWS));
  }

  get #columns() {
    return Math.max(8, Math.floor((this.canvas.clientWidth + GAP) / (CELL + GAP)));
  }

  show(map) {
    this.#map = map;
    this.canvas.setAttribute("aria-label", map.total ? t("map.label", { percent: percent(map.bytes, map.total), count: map.connections.length }) : t("map.unknown"));
    this.draw();
  }

  draw() {
    const { canvas } = this;
    const width = canvas.clientWidth;
    if (!width || !this.#map) return;
    const scale = devicePixelRatio;
    const height = ROWS * (CELL + GAP) - GAP;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    this.#drawCells(context, width);
  }

  #drawCells(context, width) {
    const style = getComputedStyle(this.canvas);
    const [empty, full, active] = ["--map-empty", "--map-full", "--map-active"].map((name) => style.getPropertyValue(name));
    const { cells, total, connections } = this.#map;
    const count = cells.length || this.cells;
    const columns = Math.min(this.#columns, Math.ceil(count / ROWS) || 1);
    const pitch = (width + GAP) / columns;
    const working = new Set(total ? connections.map((one) => Math.min(count - 1, Math.floor((one.position / total) * count))) : []);
    for (let index = 0; index < count; index += 1) {
      const x = (index % columns) * pitch;
      const y = Math.floor(index / columns) * (CELL + GAP);
      const box = (color, alpha) => {
        context.globalAlpha = alpha;
        context.fillStyle = color;
        context.beginPath();
        context.roundRect(x, y, pitch - GAP, CELL, 2);
        context.fill();
      };
      box(empty, 1);
      if (working.has(index)) box(active, 1);
      else if (cells[index]) box(full, 0.25 + 0.75 * (cells[index] / 255));
    }
    context.globalAlpha = 1;
  }
}
