/**
 * Closing once, and the end of queue pairs: in plain Java, without a native call.
 */
package org.panamaverbs.rdmacore.lifecycle;
