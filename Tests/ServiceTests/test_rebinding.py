"""A name that resolves to a private address only when it is looked up again.

The test runs in network and mount namespaces of its own: there, a name server of ours answers, and an address of the internet is one of this machine.
"""

import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading

import pytest

from fileserver import FileServer
from pawld import Service

# In nobody's special-purpose registry. Inside the namespace it belongs to the loopback interface, and no packet leaves.
PUBLIC, PRIVATE = "192.0.9.9", "127.0.0.1"


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="namespaces take root")
def test_S07_a_name_that_leads_to_a_private_address_on_the_second_look_is_not_followed():
    outcome = subprocess.run(["unshare", "--net", "--mount", sys.executable, __file__], capture_output=True, text=True, timeout=120)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


class NameServer:
    """Answers some questions for A with the public address, and then all with the private one."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 53))
        self.answers = []
        self.public_left = 1
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            question, client = self.socket.recvfrom(4096)
            end = question.index(b"\0", 12) + 5
            is_address = struct.unpack(">H", question[end - 4 : end - 2])[0] == 1
            answer = question[:2] + b"\x81\x80" + struct.pack(">HHHH", 1, int(is_address), 0, 0) + question[12:end]
            if is_address:
                address = PUBLIC if self.public_left > 0 else PRIVATE
                self.public_left -= 1
                self.answers.append(address)
                answer += b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4) + socket.inet_aton(address)
            self.socket.sendto(answer, client)


def main():
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["ip", "address", "add", f"{PUBLIC}/32", "dev", "lo"], check=True)
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as configuration:
        configuration.write("nameserver 127.0.0.1\noptions timeout:2 attempts:1\n")
        configuration.flush()
        target = pathlib.Path("/etc/resolv.conf").resolve()
        subprocess.run(["mount", "--bind", configuration.name, str(target)], check=True)
        look()


def look():
    names, outside, inside = NameServer(), FileServer(PUBLIC), FileServer(PRIVATE)
    service = Service("--deny-private-addresses")
    try:
        service.start()
        client = service.client()
        name = f"http://rebind.test:{outside.port}"
        outside.add("/first", b"of the internet")
        assert client.wait_for(client.add({"url": name + "/first"})["id"], "completed")["bytes"] == 15

        # The first request goes out, and sends the second one to the same name at the port of a private server.
        inside.add("/secret", b"internal")
        outside.redirect("/redirect", f"http://rebind.test:{inside.port}/secret")
        before, names.public_left = len(names.answers), 1
        failed = client.wait_for(client.add({"url": name + "/redirect"})["id"], "failed")
        assert outside.requests_for("/redirect"), "the first request went out"
        assert names.answers[before:][:2] == [PUBLIC, PRIVATE], "the name was looked up again"
        assert not inside.requests, "the private server was asked"
        assert failed["bytes"] == 0 and failed["error"]["code"] == "refused" and "address" in failed["error"]["message"], failed
    finally:
        print(service.log[-4000:])
        service.close()
        outside.close()
        inside.close()


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    main()
