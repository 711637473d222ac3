/**
 * {@code pverbs serve} and {@code pverbs copy}: files moved from mapping to mapping. The server advertises memory and checks; the client
 * moves the bytes. {@code Message} is their protocol.
 */
package org.panamaverbs.tools.copy;
