import { fileURL } from "./api.js";
import { h, setText, toggleAttribute } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { Ring } from "./ring.js";
import { facts, isolate, nameOf, speedOf, timeLeft, tone } from "./words.js";

/// One row of the list. Rows are reused: `show` fills one with another download.
export class Row {
  index = -1;
  id = null;

  constructor(handlers) {
    this.ring = new Ring((event) => handlers.toggle(this, event));
    this.name = h("span", { class: "row-name", dir: "auto" });
    this.facts = h("span", { class: "row-facts" });
    this.speed = h("span", { class: "row-speed" });
    this.left = h("span", { class: "row-left" });
    this.check = h("input", { type: "checkbox", class: "row-check", tabindex: "-1", onclick: (event) => handlers.check(this, event) });
    this.save = h("a", { class: "icon-button row-save", tabindex: "-1", download: "" }, icon("save"));
    this.grip = h("span", { class: "row-grip", "aria-hidden": "true", onpointerdown: (event) => handlers.grip(this, event) }, icon("grip", 18));
    this.element = h(
      "div", { role: "row", class: "row", tabindex: "-1" },
      h("div", { role: "gridcell", class: "cell-check" }, h("label", { class: "check-area" }, this.check), this.grip),
      h("div", { role: "gridcell", class: "cell-ring" }, this.ring.element),
      h("div", { role: "gridcell", class: "cell-main" }, this.name, this.facts),
      h("div", { role: "gridcell", class: "cell-figures" }, this.speed, this.left),
      h("div", { role: "gridcell", class: "cell-more" }, this.save),
    );
    this.element.row = this;
  }

  show(index, snapshot, { isSelected, isActive, isOpen }) {
    this.index = index;
    this.id = snapshot?.id ?? null;
    const { element } = this;
    toggleAttribute(element, "aria-rowindex", String(index + 1));
    toggleAttribute(element, "aria-selected", String(isSelected));
    toggleAttribute(element, "tabindex", isActive ? "0" : "-1");
    toggleAttribute(element, "data-state", snapshot ? tone(snapshot) : "loading");
    element.classList.toggle("is-open", isOpen);
    if (!snapshot) return this.#showNothing();
    const name = nameOf(snapshot);
    setText(this.name, name);
    this.name.title = name;
    setText(this.facts, facts(snapshot).join(" · "));
    setText(this.speed, speedOf(snapshot));
    setText(this.left, timeLeft(snapshot));
    this.ring.show(snapshot);
    this.#showControls(snapshot, isSelected, isActive, name);
  }

  #showControls(snapshot, isSelected, isActive, name) {
    const focusable = isActive ? "0" : "-1";
    this.check.checked = isSelected;
    toggleAttribute(this.check, "aria-label", t("select.named", { name: isolate(name) }));
    for (const control of [this.check, this.ring.button, this.save]) toggleAttribute(control, "tabindex", focusable);
    const isSavable = snapshot.state === "completed" && !snapshot.missing && !snapshot.files.length;
    this.save.hidden = !isSavable;
    if (isSavable) {
      toggleAttribute(this.save, "href", fileURL(snapshot.id));
      toggleAttribute(this.save, "aria-label", t("action.save.named", { name: isolate(name) }));
      this.save.title = t("action.save");
    }
  }

  #showNothing() {
    for (const element of [this.name, this.facts, this.speed, this.left]) setText(element, "");
    this.ring.button.hidden = true;
    this.ring.done.hidden = true;
    this.save.hidden = true;
    this.check.checked = false;
    toggleAttribute(this.check, "aria-label", t("loading"));
  }
}
