"""schemathesis makes requests from the contract, good and bad, and compares each answer with it.

    python -m pytest Tests/ServiceTests/test_schema.py --examples 500
"""

import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

import contract

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
# The stream of events does not end; logging in and out belongs to test_access.py.
schema = schemathesis.openapi.from_path(contract.PATH).exclude(path_regex="/(events|login|logout)")


@schema.parametrize()
def test_each_answer_is_one_that_the_contract_allows(case, standing):
    response = case.call(base_url=standing.origin, headers={"Authorization": f"Bearer {standing.token}"}, timeout=60)
    case.validate_response(response, checks=CHECKS)


def test_the_service_still_answers(standing):
    assert standing.client().get("/healthz").json == {"status": "ok"}
    assert standing.local().get("/downloads").status == 200
