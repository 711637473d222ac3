/** {@code pverbs capture}: runs a program so that soft-iwarp captures what its connections carry. */
package org.panamaverbs.tools.capture;
