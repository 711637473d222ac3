/**
 * The statistics of devices as meters of Micrometer, which gives them to Prometheus, OpenTelemetry and others. Nothing is measured on the path of
 * requests: a meter asks its device when the registry is scraped.
 */
package org.panamaverbs.micrometer;
