package org.panamaverbs.sockets;

import org.panamaverbs.testing.api.ApiTestCase;

/** The public signatures of the module: programs may implement all interfaces. */
class ApiTest extends ApiTestCase {
    ApiTest() {
        super("");
    }
}
