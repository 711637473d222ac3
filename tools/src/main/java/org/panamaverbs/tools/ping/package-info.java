/** {@code pverbs ping}: both ends of {@code rping}'s protocol. */
package org.panamaverbs.tools.ping;
