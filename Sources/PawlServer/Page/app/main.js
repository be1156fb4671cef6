import { act, actOn, patch, post } from "./api.js";
import { AddDialog } from "./add.js";
import { Announcer } from "./announce.js";
import { ConnectionBanner } from "./connection.js";
import { Detail } from "./detail.js";
import { $, debounce } from "./dom.js";
import { EventReader } from "./events.js";
import { Filters } from "./filters.js";
import { count } from "./format.js";
import { loadLanguage, t } from "./i18n.js";
import { installDrops } from "./drop.js";
import { placeIcons } from "./placed-icons.js";
import { installKeys } from "./keys.js";
import { List } from "./list.js";
import { Menu } from "./menu.js";
import { confirmRemoval } from "./remove.js";
import { Reorder } from "./reorder.js";
import { Ring } from "./ring.js";
import { Selection } from "./selection.js";
import { SelectionBar } from "./selection-bar.js";
import { forgetSession, takeSessionFromAddress } from "./session.js";
import { SettingsDialog } from "./settings.js";
import { Downloads } from "./store.js";
import { Totals } from "./totals.js";
import { isolate, nameOf, notStoredWords } from "./words.js";

const FORESEEN = { pause: { state: "paused", rate: 0, connections: [] }, resume: { state: "queued" }, retry: { state: "queued", error: null } };

await takeSessionFromAddress();
await loadLanguage();
placeIcons();

const announcer = new Announcer();
const downloads = new Downloads();
const selection = new Selection(downloads);
const list = new List(downloads, selection, { toggle, open: openDetail, grip: (row, event) => reorder.start(row, event) });
const reorder = new Reorder(list, downloads, (error) => announcer.problem(error));
const detail = new Detail(downloads, { toggle, move, change, renew, button: pressButton, close: closeDetail });
const add = new AddDialog({ added });
const settings = new SettingsDialog({ saved: () => announcer.note(t("settings.saved")), logout });
new Filters(downloads, selection, list);
new SelectionBar(selection, downloads, { act: actOnSelection });
new Totals(downloads);

// MARK: One download

async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    announcer.problem(error);
    return null;
  }
}

async function perform(id, action) {
  const before = downloads.get(id);
  if (FORESEEN[action]) downloads.foresee(id, FORESEEN[action]);
  const after = await attempt(() => actOn(id, action));
  if (after) downloads.apply(after);
  else if (before) downloads.foresee(id, before);
  return after;
}

async function toggle(id) {
  const snapshot = downloads.get(id);
  const action = snapshot && Ring.actionFor(snapshot);
  if (!action) return;
  const after = await perform(id, action);
  if (after) announcer.say(t(`told.${action}`, { name: isolate(nameOf(after)) }));
}

async function move(id, to) {
  const position = { top: "top", bottom: "bottom", up: { by: -1 }, down: { by: 1 } }[to];
  if (!position) return;
  await reorder.move(id, position);
  announcer.say(t("told.moved"));
}

async function change(id, members, words) {
  const after = await attempt(() => patch(`downloads/${id}`, members));
  if (!after) return;
  downloads.apply(after);
  announcer.note(words);
}

async function renew(id, change) {
  const after = await attempt(() => patch(`downloads/${id}`, change));
  if (!after) return;
  downloads.apply(after);
  await perform(id, after.state === "failed" ? "retry" : "resume");
}

async function pressButton(name, snapshot) {
  if (name === "remove") return remove([snapshot.id]);
  if (name === "copyPath") return copy(`${snapshot.directory}/${snapshot.file}`);
  const after = await perform(snapshot.id, name);
  if (after && (name === "verify" || name === "extract")) announcer.note(t(`told.${name}`, { name: isolate(nameOf(after)) }));
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    announcer.note(t("copied"));
  } catch {
    announcer.note(text);
  }
}

function openDetail(id) {
  list.setOpen(id);
  detail.open(id);
}

function closeDetail() {
  const had = detail.element.contains(document.activeElement);
  detail.shut();
  list.setOpen(null);
  if (had) list.focusActive();
}

// MARK: Many

async function remove(ids) {
  const name = ids.length === 1 ? nameOf(downloads.get(ids[0]) ?? detail.snapshot) : null;
  await removeTarget({ ids }, { number: ids.length, name });
}

async function removeTarget(target, words) {
  const files = await confirmRemoval(words);
  if (!files) return;
  await actOnTarget("remove", target, { files });
  selection.clear();
}

async function actOnTarget(action, target, more = {}) {
  const answer = await attempt(() => act(action, target, more));
  if (!answer) return;
  const failed = answer.results ? answer.results.filter((result) => result.status !== 200) : [];
  const done = answer.results ? answer.results.length - failed.length : answer.done;
  announcer.note(t(`told.${action}.many`, { count: done, number: count(done) }));
  if (failed.length) announcer.note(t("told.notPossible", { count: failed.length, number: count(failed.length), detail: failed[0].problem?.detail ?? "" }), "failed");
  await downloads.refresh();
}

async function actOnSelection(action) {
  const { target, count: number } = selection;
  if (action === "remove") {
    const [only] = number === 1 ? selection.known : [];
    return removeTarget(target, { number, name: only && nameOf(only) });
  }
  await actOnTarget(action, target);
}

const finished = { filter: { state: ["completed"] } };
new Menu($("#more"), () => [
  { text: t("all.pause"), action: () => actOnTarget("pause", { filter: { state: ["running", "queued", "waiting"] } }) },
  { text: t("all.resume"), action: () => actOnTarget("resume", { filter: { state: ["paused", "waiting"] } }) },
  { text: t("all.retry"), action: () => actOnTarget("retry", { filter: { state: ["failed"] } }) },
  { text: t("all.removeFinished"), isDanger: true, action: () => removeTarget(finished, { number: downloads.counts?.completed ?? 0 }) },
  { text: t("all.select"), action: () => selection.all() },
  { text: t("keys.title"), action: () => $("#keys").showModal() },
]);

async function logout() {
  try {
    await post("logout");
  } catch (error) {
    // The session goes on.
    return announcer.problem(error);
  }
  forgetSession();
  location.assign("login.html");
}

// MARK: Adding

function added(fresh, known) {
  if (fresh.length) announcer.note(t("told.added", { count: fresh.length, number: count(fresh.length) }));
  const what = [...new Set(fresh.map(notStoredWords).filter(Boolean))].join(", ");
  if (what) announcer.note(t("told.notStored", { what }), "waiting");
  if (known.length) announcer.note(known.length === 1 ? t("told.known.one", { name: isolate(nameOf(known[0])) }) : t("told.known.many", { number: count(known.length) }), "waiting");
  downloads.refresh();
}

for (const button of document.querySelectorAll("[data-open=add]")) button.addEventListener("click", () => add.open());
$("#open-settings").addEventListener("click", () => settings.open());
for (const button of document.querySelectorAll("[data-close]")) button.addEventListener("click", () => button.closest("dialog").close());
// A press on the backdrop is a press on the dialog itself, outside its content.
for (const dialog of document.querySelectorAll("dialog")) dialog.addEventListener("pointerdown", (event) => event.target === dialog && dialog.close());
installDrops({ links: (links) => add.open(links), files: (files) => add.takeFiles(files) });
installKeys({
  escape: () => (selection.count ? selection.clear() : detail.id && closeDetail()),
  n: () => add.open(), "/": () => $("#search").focus(), "?": () => $("#keys").showModal(),
  open: openDetail, toggle, select: (id) => selection.toggle(id), remove: (id) => (selection.count ? actOnSelection("remove") : remove([id])), move,
}, list);

// MARK: Events

const reader = new EventReader();
new ConnectionBanner(reader, announcer, downloads);
reader.addEventListener("open", () => downloads.change === null && downloads.refresh());
reader.addEventListener("change", (event) => downloads.apply(event.detail));
reader.addEventListener("removed", (event) => {
  selection.forget(event.detail.id);
  downloads.remove(event.detail.id);
  if (detail.id === event.detail.id) closeDetail();
});
reader.addEventListener("progress", (event) => downloads.progress(event.detail));
reader.addEventListener("stats", (event) => downloads.takeStats(event.detail));
reader.addEventListener("reset", () => downloads.reset());
downloads.addEventListener("transition", (event) => announcer.transition(event.detail));
downloads.addEventListener("problem", debounce(1000, (event) => event.detail.status && announcer.problem(event.detail)));
// A sentence that counts down is drawn again each second.
setInterval(() => document.hidden || list.draw(), 1000);

list.label();
await downloads.refresh();
document.body.classList.remove("is-loading");
reader.start(downloads.change);
