/** {@code pverbs capture}: runs a program whose soft-iwarp connections are captured. */
package org.panamaverbs.tools.capture;
