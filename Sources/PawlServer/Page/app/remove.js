import { $, setText } from "./dom.js";
import { count } from "./format.js";
import { t } from "./i18n.js";
import { isolate } from "./words.js";

/// Asks before downloads are removed, and whether their files go, too. Resolves to `keep`, `delete` or null.
export function confirmRemoval({ number, name }) {
  const dialog = $("#remove");
  setText($("#remove-title"), name ? t("remove.one", { name: isolate(name) }) : t("remove.many", { count: number, number: count(number) }));
  $("#remove-files").checked = false;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    const close = () => resolve(dialog.returnValue === "remove" ? ($("#remove-files").checked ? "delete" : "keep") : null);
    dialog.addEventListener("close", close, { once: true });
  });
}
