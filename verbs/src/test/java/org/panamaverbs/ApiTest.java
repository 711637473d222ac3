package org.panamaverbs;

import org.panamaverbs.testing.api.ApiTestCase;

/** The public signatures of the API, and apart from them those of the SPI: providers implement the API's interfaces. */
class ApiTest extends ApiTestCase {
    ApiTest() {
        super("org.panamaverbs.spi");
    }
}
