"""A stand-in for an OpenTelemetry collector on loopback.

It prints its address and serves until it is ended. Of each span that it gets over OTLP/HTTP, it prints a line of JSON:
its name, the name of the span that it belongs to, its attributes and events, and the request's header `Authorization`.
"""

import gzip
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Collector(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        if self.path != "/v1/traces":
            return self.send_error(404)
        request = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            about = {one.key: one.value.string_value for one in resource.resource.attributes}
            for scope in resource.scope_spans:
                for span in scope.spans:
                    whole = MessageToDict(span)
                    attributes = {one["key"]: next(iter(one["value"].values())) for one in whole.get("attributes", [])}
                    seen = {
                        "name": span.name,
                        "id": span.span_id.hex(),
                        "parent": span.parent_span_id.hex(),
                        "service": about["service.name"],
                        "authorization": self.headers["Authorization"],
                        "attributes": attributes,
                        "rest": [whole.get("events"), whole.get("status")],
                    }
                    print(json.dumps(seen), flush=True)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        """The spans are the log."""


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
