/**
 * The public signatures of a module, compared with those that were recorded. The module's {@code ApiTest} is an
 * {@link org.panamaverbs.testing.api.ApiTestCase}. docs/api-evolution.md says what may change, and how the record is written anew.
 */
package org.panamaverbs.testing.api;
