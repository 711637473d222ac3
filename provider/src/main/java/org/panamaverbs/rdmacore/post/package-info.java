/**
 * Posting: requests are written into their slots as the device reads them, and given to the device as a chain; the device's reports become the
 completions that the program expects. Nothing here is allocated per request.
 */
package org.panamaverbs.rdmacore.post;
