/** Generated bindings beside the C headers that they were generated from. */
package org.panamaverbs.testing.headers;
