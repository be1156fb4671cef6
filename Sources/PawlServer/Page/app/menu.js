import { h } from "./dom.js";

/// A menu below its button: arrow keys move, Escape closes, the focus returns to the button.
export class Menu {
  constructor(button, items) {
    this.button = button;
    this.items = items;
    this.element = h("div", { class: "menu", role: "menu", hidden: true });
    button.setAttribute("aria-haspopup", "menu");
    button.setAttribute("aria-expanded", "false");
    button.after(this.element);
    button.addEventListener("click", () => (this.element.hidden ? this.#open() : this.#close()));
    button.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      this.#open();
    });
    this.element.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("pointerdown", (event) => {
      if (!this.element.contains(event.target) && !button.contains(event.target)) this.#close(false);
    });
  }

  #open() {
    this.element.replaceChildren(...this.items().map(({ text, action, isDanger }) => {
      const choose = () => {
        this.#close();
        action();
      };
      return h("button", { type: "button", role: "menuitem", tabindex: "-1", class: isDanger ? "danger" : null, onclick: choose }, text);
    }));
    this.element.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.element.firstChild?.focus();
  }

  #close(returnsFocus = true) {
    if (this.element.hidden) return;
    this.element.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    if (returnsFocus) this.button.focus();
  }

  #key(event) {
    const entries = [...this.element.children];
    const now = entries.indexOf(document.activeElement);
    const next = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: entries.length - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      entries[(next + entries.length) % entries.length].focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.stopPropagation();
      this.#close();
    }
  }
}
