import { patch } from "./api.js";
import { h } from "./dom.js";

/// How near the edge a drag scrolls the list.
const EDGE = 48;

/// Drags a row by its grip to another place in the queue.
export class Reorder {
  constructor(list, downloads, report) {
    Object.assign(this, { list, downloads, report });
    this.marker = h("div", { class: "drop-marker", hidden: true, "aria-hidden": "true" });
    list.viewport.append(this.marker);
  }

  get isPossible() {
    return this.downloads.query.sort === "position";
  }

  start(row, event) {
    if (!this.isPossible || event.button !== 0) return;
    event.preventDefault();
    const { id } = row;
    const { viewport } = this.list;
    let y = event.clientY;
    let frame = null;
    document.body.classList.add("is-dragging");
    row.element.classList.add("is-lifted");
    const step = () => {
      const box = viewport.getBoundingClientRect();
      if (y < box.top + EDGE) viewport.scrollTop -= 8;
      else if (y > box.bottom - EDGE) viewport.scrollTop += 8;
      this.#mark(this.#gapAt(y));
      frame = requestAnimationFrame(step);
    };
    const move = (event) => (y = event.clientY);
    const end = (event) => {
      cancelAnimationFrame(frame);
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      document.body.classList.remove("is-dragging");
      for (const lifted of document.querySelectorAll(".is-lifted")) lifted.classList.remove("is-lifted");
      this.marker.hidden = true;
      if (event.type === "pointerup") this.#drop(id, this.#gapAt(event.clientY));
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
    frame = requestAnimationFrame(step);
  }

  #gapAt(y) {
    const { viewport, rowHeight, element } = this.list;
    const offset = y - viewport.getBoundingClientRect().top + viewport.scrollTop - element.offsetTop;
    return Math.max(0, Math.min(this.downloads.total, Math.round(offset / rowHeight)));
  }

  #mark(gap) {
    this.marker.hidden = false;
    this.marker.style.setProperty("transform", `translateY(${this.list.element.offsetTop + gap * this.list.rowHeight - 1}px)`);
  }

  async #drop(id, gap) {
    const [above, below] = [this.downloads.at(gap - 1), this.downloads.at(gap)];
    if (above?.id === id || below?.id === id) return;
    const place = below && below.position !== null ? { before: below.id } : above && above.position !== null ? { after: above.id } : "bottom";
    await this.move(id, place);
  }

  async move(id, position) {
    try {
      this.downloads.apply(await patch(`downloads/${id}`, { position }));
      await this.downloads.refresh();
    } catch (error) {
      this.report(error);
    }
  }
}
