import { eventsURL, goToLogin } from "./api.js";
import { sessionHeaders } from "./session.js";

/// The service sends a comment every 15 s. After this long without a byte, the connection is dead.
const SILENCE = 40_000;
const LONGEST_WAIT = 15_000;

/// Reads the event stream and reconnects. Reports `open`, `lost` (with `reason` and `wait`), and each event under its own name.
///
/// `fetch` instead of `EventSource`, which hides comments and the status of a failure.
export class EventReader extends EventTarget {
  #last = null;
  #failures = 0;
  #goodbye = false;
  #wake = null;

  /// - since: the change of the list that was read.
  start(since) {
    this.#last = since;
    this.#run();
  }

  async #run() {
    for (;;) {
      const reason = await this.#once();
      this.#failures += 1;
      const wait = Math.min(LONGEST_WAIT, 500 * 2 ** Math.min(this.#failures - 1, 6));
      this.dispatchEvent(new CustomEvent("lost", { detail: { reason: this.#goodbye ? "stopped" : reason, wait } }));
      await new Promise((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, wait);
      });
    }
  }

  retryNow() {
    this.#wake?.();
  }

  async #once() {
    const controller = new AbortController();
    let watchdog = null;
    const feed = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => controller.abort(), SILENCE);
    };
    feed();
    try {
      const headers = { Accept: "text/event-stream", ...sessionHeaders() };
      if (this.#last !== null) headers["Last-Event-ID"] = String(this.#last);
      const answer = await fetch(eventsURL, { headers, signal: controller.signal, cache: "no-store" });
      if (answer.status === 401) goToLogin();
      if ([502, 503, 504].includes(answer.status)) return "stopped";
      if (!answer.ok) return "lost";
      this.#failures = 0;
      this.#goodbye = false;
      this.dispatchEvent(new Event("open"));
      await this.#read(answer.body.getReader(), feed);
      return "lost";
    } catch {
      return !controller.signal.aborted && isLoopback() && this.#failures > 0 ? "stopped" : "lost";
    } finally {
      clearTimeout(watchdog);
    }
  }

  async #read(reader, feed) {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      feed();
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block) {
    let name = "message";
    let data = "";
    for (const line of block.split("\n")) {
      if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("data: ")) data += line.slice(6);
      else if (line.startsWith("id: ")) this.#last = line.slice(4);
    }
    if (!data) return;
    if (name === "goodbye") this.#goodbye = true;
    this.dispatchEvent(new CustomEvent(name, { detail: JSON.parse(data) }));
  }
}

// A refused connection on this machine means that nothing listens; elsewhere it may be the network.
function isLoopback() {
  return ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
}
