/// Which downloads are selected: some, or all that the filter shows but for a few.
export class Selection extends EventTarget {
  #ids = new Set();
  #except = new Set();
  #isAll = false;
  isMode = false;

  constructor(downloads) {
    super();
    this.downloads = downloads;
  }

  get count() {
    return this.#isAll ? Math.max(0, this.downloads.total - this.#except.size) : this.#ids.size;
  }

  has(id) {
    return this.#isAll ? !this.#except.has(id) : this.#ids.has(id);
  }

  toggle(id, on = !this.has(id)) {
    const set = this.#isAll ? this.#except : this.#ids;
    if (this.#isAll ? !on : on) set.add(id);
    else set.delete(id);
    this.#changed();
  }

  range(ids) {
    for (const id of ids) if (!this.has(id)) (this.#isAll ? this.#except.delete(id) : this.#ids.add(id));
    this.#changed();
  }

  all() {
    this.#isAll = true;
    this.#except.clear();
    this.#changed();
  }

  clear() {
    this.#isAll = false;
    this.#ids.clear();
    this.#except.clear();
    this.isMode = false;
    this.#changed();
  }

  forget(id) {
    if (this.#ids.delete(id)) this.#changed();
  }

  /// The ids, or the filter, that an action is sent with.
  get target() {
    if (!this.#isAll) return { ids: [...this.#ids] };
    const { states, q } = this.downloads.query;
    const filter = {};
    if (states.length) filter.state = states;
    if (q) filter.q = q;
    if (this.#except.size) filter.except = [...this.#except];
    return { filter };
  }

  /// The selected downloads that the page knows, to tell which actions make sense.
  get known() {
    return [...this.#ids].map((id) => this.downloads.get(id)).filter(Boolean);
  }

  get isAll() {
    return this.#isAll;
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
