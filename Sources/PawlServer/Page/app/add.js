import { get, post } from "./api.js";
import { $, debounce, h, setText } from "./dom.js";
import { count, size } from "./format.js";
import { t } from "./i18n.js";
import { addressOf, documentType, findLinks, isTooLarge, readLinks, textOf } from "./links.js";
import { errorTitle, hostOf, isolate, nameOf } from "./words.js";

/// Servers are asked about this many; the others are added without.
const PROBED = 20;
const AT_ONCE = 3;
/// Below what the service takes in one request: 10,000 jobs and 2 MiB.
const LARGEST_BATCH = { jobs: 5000, characters: 600_000 };

/// The dialog that adds downloads.
export class AddDialog {
  /// Jobs that came from documents, in order.
  #documentJobs = [];
  #probes = new Map();
  #running = 0;
  #look = debounce(250, () => this.#refresh());

  constructor(handlers) {
    this.handlers = handlers;
    this.dialog = $("#add");
    this.field = $("#add-links");
    this.found = $("#add-found");
    this.status = $("#add-status");
    this.directory = $("#add-directory");
    this.submit = $("#add-submit");
    this.field.addEventListener("input", () => {
      if (this.#isError) this.#say("", false);
      this.#look();
    });
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#send(event);
    });
    this.directory.addEventListener("change", () => this.#probeAgain());
    $("#add-file").addEventListener("change", (event) => this.takeFiles([...event.target.files]));
    $("#add-form").addEventListener("submit", (event) => this.#send(event));
    this.dialog.addEventListener("close", () => this.#reset());
  }

  open(links = []) {
    if (!this.dialog.open) {
      this.dialog.showModal();
      this.#readDirectories();
    }
    if (links.length) {
      const present = this.field.value.trim();
      const known = findLinks(present);
      this.field.value = [...(present ? [present] : []), ...links.filter((link) => !known.includes(link))].join("\n");
      this.#refresh();
    }
    this.field.focus();
  }

  async takeFiles(files) {
    this.open();
    for (const file of files) {
      const type = documentType(file.name);
      if (!type || isTooLarge(file)) {
        this.#say(t(type ? "add.tooLarge" : "add.wrongType", { name: isolate(file.name) }), true);
        continue;
      }
      try {
        const { jobs, problems } = await post("documents", await file.text(), { type });
        this.#documentJobs.push(...jobs);
        this.#refresh();
        if (problems.length) this.#say(t("add.documentProblems", { count: problems.length, detail: problems[0].detail }), true);
      } catch (error) {
        this.#say(`${file.name}: ${error.message}`, true);
      }
    }
    $("#add-file").value = "";
  }

  #reset() {
    this.field.value = "";
    this.#documentJobs = [];
    this.#probes.clear();
    $("#add-paused").checked = false;
    this.#say("", false);
    this.#refresh();
  }

  async #readDirectories() {
    try {
      const [settings, roots] = await Promise.all([get("settings"), get("directories")]);
      const listed = await Promise.all(roots.directories.map((root) => get(`directories?under=${encodeURIComponent(root.path)}`).catch(() => ({ directories: [] }))));
      const paths = [settings.directory, ...roots.directories.map((root) => root.path), ...listed.flatMap((level) => level.directories.map((one) => one.path))];
      const chosen = this.directory.value || settings.directory;
      this.directory.replaceChildren(...[...new Set(paths)].map((path) => h("option", { value: path }, path)));
      this.directory.value = paths.includes(chosen) ? chosen : settings.directory;
      setText($("#add-free"), roots.freeBytes ?? listed[0]?.freeBytes ? t("add.free", { size: size(roots.freeBytes ?? listed[0].freeBytes) }) : "");
    } catch (error) {
      this.#say(error.message, true);
    }
  }

  get #jobs() {
    return [...readLinks(this.field.value).jobs, ...this.#documentJobs];
  }

  // MARK: What was found

  #refresh() {
    const jobs = this.#jobs;
    setText(this.submit, jobs.length > 1 ? t("add.submit", { count: jobs.length, number: count(jobs.length) }) : t("add.submitOne"));
    this.submit.disabled = !jobs.length;
    this.found.replaceChildren(...jobs.slice(0, PROBED).map((job) => this.#line(job)));
    if (jobs.length > PROBED) this.found.append(h("li", { class: "found-more" }, t("add.more", { count: jobs.length - PROBED, number: count(jobs.length - PROBED) })));
    this.found.hidden = !jobs.length;
    // An error stays until the links are edited: probes end at any time.
    if (!this.#isError) this.#say(this.#leftOut(jobs.length), false);
    this.#probeNext();
  }

  /// Returns the remark about text that does not become a download.
  #leftOut(found) {
    const { repeated, unread } = readLinks(this.field.value);
    if (!found) return unread.length ? t("add.noLinks") : "";
    const words = repeated ? [t("add.repeated", { count: repeated, number: count(repeated) })] : [];
    if (unread.length) words.push(t("add.unread", { count: unread.length, number: count(unread.length), line: isolate(shortened(unread[0])) }));
    return words.join(" ");
  }

  #probeAgain() {
    this.#probes.clear();
    this.#refresh();
  }

  #line(job) {
    const probe = job.url ? this.#probes.get(job.url) : null;
    const name = job.file ?? probe?.result?.name ?? nameOf({ file: null, url: addressOf(job) });
    const [words, tone] = this.#words(job, probe);
    return h("li", { class: "found", "data-tone": tone }, h("span", { class: "line-main", dir: "auto", title: job.url ?? "" }, name), h("span", { class: "line-side" }, words));
  }

  #words(job, probe) {
    if (!probe || !job.url) return [hostOf(addressOf(job)), "plain"];
    if (probe.problem) return [errorTitle(probe.problem), "failed"];
    if (!probe.result) return [t("add.asking", { host: hostOf(job.url) }), "plain"];
    if (probe.result.duplicate) return [t("add.duplicate"), "waiting"];
    const length = probe.result.total === null ? t("size.unknown") : size(probe.result.total);
    if (probe.result.exists) return [`${length} · ${t("add.exists")}`, "waiting"];
    return [probe.result.acceptsRanges ? length : `${length} · ${t("add.noRanges")}`, "plain"];
  }

  #probeNext() {
    for (const job of this.#jobs.slice(0, PROBED)) {
      if (this.#running >= AT_ONCE) return;
      if (job.url && !this.#probes.has(job.url)) this.#probe(job);
    }
  }

  async #probe(job) {
    const probe = {};
    this.#probes.set(job.url, probe);
    this.#running += 1;
    try {
      probe.result = await post("probe", { ...job, directory: this.directory.value || null });
    } catch (problem) {
      probe.problem = problem;
    } finally {
      this.#running -= 1;
    }
    if (this.#probes.get(job.url) === probe) this.#refresh();
  }

  // MARK: Adding

  async #send(event) {
    event.preventDefault();
    const jobs = this.#jobs;
    if (!jobs.length || this.submit.disabled) return;
    this.submit.disabled = true;
    const paused = $("#add-paused").checked;
    const directory = this.directory.value || undefined;
    const bodies = jobs.map((job) => ({ id: newID(), ...job, directory: job.directory ?? directory, ...(paused && { paused }) }));
    try {
      const results = [];
      for (const batch of batches(bodies)) results.push(...(await post("downloads", batch)));
      this.#finish(bodies, results);
    } catch (error) {
      this.#say([error.message, error.hint].filter(Boolean).join(" "), true);
      this.submit.disabled = false;
    }
  }

  /// Leaves refused links in the field, with the reason.
  #finish(bodies, results) {
    const refused = results.map((result, index) => [bodies[index], result.problem]).filter(([, problem]) => problem);
    const added = results.filter((result) => result.status === 201);
    const known = results.filter((result) => result.status === 200);
    this.handlers.added(added.map((result) => result.download), known.map((result) => result.download));
    if (!refused.length) return this.dialog.close();
    const typed = readLinks(this.field.value).jobs.length;
    const isRefused = (index) => Boolean(results[index].problem);
    this.#documentJobs = this.#documentJobs.filter((_, index) => isRefused(typed + index));
    this.field.value = bodies.slice(0, typed).filter((_, index) => isRefused(index)).map(textOf).join("\n");
    this.#refresh();
    const [, problem] = refused[0];
    this.#say([t("add.refused", { count: refused.length, number: count(refused.length) }), problem.detail, problem.hint].filter(Boolean).join(" "), true);
  }

  get #isError() {
    return this.status.classList.contains("is-error");
  }

  #say(text, isError) {
    setText(this.status, text);
    this.status.classList.toggle("is-error", isError);
  }
}

const shortened = (text) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

function* batches(jobs) {
  let batch = [];
  let characters = 0;
  for (const job of jobs) {
    const length = JSON.stringify(job).length;
    if (batch.length && (batch.length === LARGEST_BATCH.jobs || characters + length > LARGEST_BATCH.characters)) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(job);
    characters += length;
  }
  if (batch.length) yield batch;
}

/// `crypto.randomUUID` exists only on secure origins.
function newID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
