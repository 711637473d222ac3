/**
 * Posting: requests are written into their slots as the device reads them, and given to the device as a chain; the device's reports become
 * the completions that the program expects. Nothing here is allocated per request.
 *
 * <p>Requests go by {@code ibv_post_send}, not by {@code ibv_wr_*}: a request takes three or more of those calls instead of one, and from
 * Java the call is the cost. Drivers read the key of a window when a binding is submitted. So the struct has the key of the last binding
 * submitted, and the program the key of the last one posted.
 */
package org.panamaverbs.rdmacore.post;
