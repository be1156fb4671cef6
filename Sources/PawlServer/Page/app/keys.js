import { $ } from "./dom.js";

const isTyping = (target) => target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");

/// The keyboard. Letters work outside fields and dialogs; the keys of the list while it has the focus.
export function installKeys(actions, list) {
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || event.defaultPrevented) return;
    if (event.key === "Escape") return actions.escape();
    if (isTyping(event.target) || event.target.closest("[role=menu]")) return;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (isPlain && actions[event.key]) {
      event.preventDefault();
      return actions[event.key]();
    }
    if (list.element.contains(event.target)) listKey(event, list, actions);
  });
  $("#search").addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    list.activate(list.active);
  });
}

function listKey(event, list, actions) {
  const page = Math.max(1, Math.floor(list.viewport.clientHeight / list.rowHeight) - 1);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
  const isOnRow = event.target.matches(".row");
  const id = list.activeID;
  if (event.key in steps) {
    event.preventDefault();
    if (event.altKey) return id && actions.move(id, { ArrowUp: "up", ArrowDown: "down", Home: "top", End: "bottom" }[event.key]);
    const target = Math.max(0, Math.min(list.downloads.total - 1, list.active + steps[event.key]));
    list.activate(target);
    if (event.shiftKey) list.selectTo(target);
    else list.setAnchor(target);
  } else if ((event.ctrlKey || event.metaKey) && event.key === "a") {
    event.preventDefault();
    list.selection.all();
  } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
    moveWithin(event, list);
  } else if (isOnRow && id) {
    const action = { Enter: "open", " ": "toggle", x: "select", Delete: "remove" }[event.key];
    if (!action) return;
    event.preventDefault();
    actions[action](id);
  }
}

// Between the row and its controls.
function moveWithin(event, list) {
  const row = event.target.closest(".row");
  const stops = [row, ...row.querySelectorAll("input, button:not([hidden]), a:not([hidden])")];
  const now = stops.indexOf(event.target);
  const next = stops[now + (event.key === "ArrowRight" ? 1 : -1)];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
