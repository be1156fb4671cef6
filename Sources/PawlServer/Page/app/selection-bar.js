import { $, $$, setText } from "./dom.js";
import { count } from "./format.js";
import { t } from "./i18n.js";

const STATES = { pause: ["queued", "running", "waiting"], resume: ["paused", "waiting"], retry: ["failed"] };

/// The bar that acts on what is selected.
export class SelectionBar {
  constructor(selection, downloads, handlers) {
    this.selection = selection;
    this.element = $("#selection");
    this.words = $("#selection-count");
    this.mode = $("#select-mode");
    this.buttons = $$("button[data-action]", this.element);
    for (const button of this.buttons) button.addEventListener("click", () => handlers.act(button.dataset.action));
    $("#selection-all").addEventListener("click", () => selection.all());
    $("#selection-clear").addEventListener("click", () => {
      selection.clear();
      this.mode.focus();
    });
    this.mode.addEventListener("click", () => {
      if (selection.isMode || selection.count) return selection.clear();
      selection.isMode = true;
      selection.dispatchEvent(new Event("change"));
    });
    selection.addEventListener("change", () => this.#show());
    // What was just paused can be resumed.
    for (const event of ["list", "transition"]) downloads.addEventListener(event, () => this.#showFitting());
  }

  #show() {
    const { selection } = this;
    const isOn = selection.count > 0 || selection.isMode;
    this.element.hidden = !isOn;
    this.mode.setAttribute("aria-pressed", String(isOn));
    document.body.classList.toggle("is-selecting", isOn);
    setText(this.words, t("selection.count", { count: selection.count, number: count(selection.count) }));
    this.#showFitting();
  }

  #showFitting() {
    const { selection } = this;
    if (this.element.hidden) return;
    const known = selection.known;
    for (const button of this.buttons) {
      const states = STATES[button.dataset.action];
      const fits = selection.isAll || !states || known.length < selection.count || known.some((one) => states.includes(one.state));
      button.disabled = !selection.count || !fits;
    }
  }
}
