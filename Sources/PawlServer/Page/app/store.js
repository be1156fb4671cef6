import { get, listPath } from "./api.js";
import { throttle } from "./dom.js";

/// Snapshots are fetched in blocks of this many rows, as they come into sight.
const BLOCK = 100;
const KEPT = 4000;
/// The width of the speed graph: four figures a second for two minutes.
const SAMPLES = 480;
const UNFINISHED = new Set(["queued", "running", "waiting", "paused"]);

/// The part of the service's list that the page knows.
///
/// Events: `list` (rows came, went or moved), `rows` (these ids differ), `transition` (a download entered another state), `stats`,
/// `problem`.
export class Downloads extends EventTarget {
  query = { states: [], q: "", sort: "position" };
  total = 0;
  counts = null;
  stats = null;
  change = null;
  #blocks = new Map();
  #byID = new Map();
  #states = new Map();
  #samples = new Map();
  #loading = new Set();
  #generation = 0;
  #isReset = false;
  #wanted = [0, 20];
  #refreshSoon = throttle(500, () => this.refresh());

  get(id) {
    return this.#byID.get(id);
  }

  idAt(index) {
    return this.#blocks.get(Math.floor(index / BLOCK))?.[index % BLOCK];
  }

  at(index) {
    return this.#byID.get(this.idAt(index));
  }

  indexOf(id) {
    for (const [block, ids] of this.#blocks) {
      const index = ids.indexOf(id);
      if (index >= 0) return block * BLOCK + index;
    }
    return -1;
  }

  samples(id) {
    return this.#samples.get(id) ?? [];
  }

  /// The rows in sight. Fetches what is missing of them.
  want(first, last) {
    this.#wanted = [first, last];
    const missing = this.#wantedBlocks().filter((block) => !this.#blocks.has(block) && !this.#loading.has(block));
    if (missing.length) this.#load(missing);
  }

  async setQuery(change) {
    Object.assign(this.query, change);
    this.#wanted = [0, 20];
    await this.refresh();
  }

  /// Reads the rows in sight again. The present ones stay until the answer is there, so that nothing flickers.
  async refresh() {
    this.#generation += 1;
    this.#loading.clear();
    await this.#load(this.#wantedBlocks(), true);
  }

  /// Changes were missed, or the numbers of changes began anew: nothing that is known counts any more.
  async reset() {
    this.#isReset = true;
    await this.refresh();
  }

  #wantedBlocks() {
    const first = Math.floor(this.#wanted[0] / BLOCK);
    const last = Math.floor(this.#wanted[1] / BLOCK);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  }

  async #load(blocks, replaces = false) {
    const generation = this.#generation;
    const [first, last] = [blocks[0], blocks[blocks.length - 1]];
    for (const block of blocks) this.#loading.add(block);
    try {
      const page = await get(listPath(this.query, first * BLOCK, Math.min(1000, (last - first + 1) * BLOCK)));
      if (generation !== this.#generation) return;
      if (replaces) this.#blocks.clear();
      if (replaces && this.#isReset) {
        this.#byID.clear();
        this.change = page.change;
        this.#isReset = false;
      }
      this.#take(page, first, last);
    } catch (error) {
      if (generation === this.#generation) this.dispatchEvent(new CustomEvent("problem", { detail: error }));
    } finally {
      if (generation === this.#generation) for (const block of blocks) this.#loading.delete(block);
    }
  }

  #take(page, first, last) {
    this.total = page.total;
    this.counts = page.counts;
    this.change = Math.max(this.change ?? 0, page.change);
    for (let block = first; block <= last; block += 1) {
      const rows = page.downloads.slice((block - first) * BLOCK, (block - first + 1) * BLOCK);
      this.#blocks.set(block, rows.map((row) => row.id));
      for (const row of rows) this.#put(row);
    }
    this.#forget();
    this.dispatchEvent(new Event("list"));
    this.dispatchEvent(new Event("stats"));
  }

  #put(snapshot) {
    const known = this.#byID.get(snapshot.id);
    if (known && known.change > snapshot.change) return;
    // Progress that was told is newer than what a list contains.
    if (known?.state === "running" && snapshot.state === "running" && known.bytes > snapshot.bytes) {
      const { bytes, durable, rate, secondsLeft, connections } = known;
      snapshot = { ...snapshot, bytes, durable, rate, secondsLeft, connections };
    }
    this.#byID.set(snapshot.id, snapshot);
    this.#states.set(snapshot.id, snapshot.state);
  }

  #forget() {
    if (this.#byID.size <= KEPT) return;
    const needed = new Set([...this.#wantedBlocks()].flatMap((block) => this.#blocks.get(block) ?? []));
    for (const block of this.#blocks.keys()) if (!this.#wantedBlocks().includes(block)) this.#blocks.delete(block);
    for (const id of this.#byID.keys()) if (!needed.has(id)) this.#byID.delete(id);
    if (this.#states.size > 10 * KEPT) this.#states.clear();
  }

  /// A snapshot from an answer or an event.
  apply(snapshot) {
    const before = this.#byID.get(snapshot.id);
    const stateBefore = this.#states.get(snapshot.id);
    if (before && before.change > snapshot.change) return;
    this.change = Math.max(this.change ?? 0, snapshot.change);
    if (before) this.#put(snapshot);
    this.#states.set(snapshot.id, snapshot.state);
    if (snapshot.state !== "running") this.#samples.delete(snapshot.id);
    if (stateBefore !== undefined && stateBefore !== snapshot.state) {
      this.dispatchEvent(new CustomEvent("transition", { detail: { snapshot, from: stateBefore } }));
    }
    this.dispatchEvent(new CustomEvent("rows", { detail: new Set([snapshot.id]) }));
    if (!before || this.#moves(before, snapshot)) this.#refreshSoon();
  }

  /// Shows what a click is about to do, until the service has answered.
  foresee(id, members) {
    const snapshot = this.#byID.get(id);
    if (!snapshot) return;
    this.#byID.set(id, { ...snapshot, ...members });
    this.dispatchEvent(new CustomEvent("rows", { detail: new Set([id]) }));
  }

  #moves(before, after) {
    const { states, sort } = this.query;
    if (before.state !== after.state) {
      if (states.length || sort.endsWith("state")) return true;
      if (sort.endsWith("position") && UNFINISHED.has(before.state) !== UNFINISHED.has(after.state)) return true;
    }
    return before.position !== after.position || before.file !== after.file || before.total !== after.total;
  }

  remove(id) {
    this.#byID.delete(id);
    this.#states.delete(id);
    this.#samples.delete(id);
    this.#refreshSoon();
    this.dispatchEvent(new CustomEvent("removed", { detail: id }));
  }

  progress(items) {
    const ids = new Set();
    for (const item of items) {
      const samples = this.#samples.get(item.id) ?? [];
      samples.push(item.rate);
      if (samples.length > SAMPLES) samples.shift();
      this.#samples.set(item.id, samples);
      const snapshot = this.#byID.get(item.id);
      if (snapshot?.state !== "running") continue;
      this.#byID.set(item.id, { ...snapshot, ...item });
      ids.add(item.id);
    }
    if (ids.size) this.dispatchEvent(new CustomEvent("rows", { detail: ids }));
  }

  takeStats(stats) {
    this.stats = stats;
    this.counts = stats.counts;
    this.dispatchEvent(new Event("stats"));
  }
}
