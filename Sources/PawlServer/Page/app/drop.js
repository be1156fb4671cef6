import { $ } from "./dom.js";
import { contentsOf, findLinks } from "./links.js";

/// Links and documents that are dropped on the page, or pasted outside a field.
export function installDrops(handlers) {
  const veil = $("#drop");
  let depth = 0;
  let isOwn = false;
  // A link of this page is not to be added to it.
  addEventListener("dragstart", () => (isOwn = true));
  addEventListener("dragend", () => (isOwn = false));
  const isUsable = (event) => !isOwn && [...(event.dataTransfer?.types ?? [])].some((type) => ["Files", "text/uri-list", "text/plain"].includes(type));
  addEventListener("dragenter", (event) => {
    if (!isUsable(event)) return;
    event.preventDefault();
    depth += 1;
    veil.hidden = false;
  });
  addEventListener("dragover", (event) => isUsable(event) && event.preventDefault());
  addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    veil.hidden = depth === 0;
  });
  addEventListener("drop", (event) => {
    depth = 0;
    veil.hidden = true;
    if (!isUsable(event)) return;
    event.preventDefault();
    take(contentsOf(event.dataTransfer), handlers);
  });
  addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea")) {
      if (event.clipboardData.files.length && event.target.id === "add-links") handlers.files([...event.clipboardData.files]);
      return;
    }
    take({ files: [...event.clipboardData.files], links: findLinks(event.clipboardData.getData("text/plain")) }, handlers);
  });
}

function take({ files, links }, handlers) {
  if (files.length) handlers.files(files);
  else if (links.length) handlers.links(links);
}
