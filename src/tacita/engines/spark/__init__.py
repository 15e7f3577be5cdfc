"""The engine for what one machine cannot hold: Apache Spark, local or a cluster's. The only room that imports pyspark.

pyspark is imported when an engine is made, not when this room is: without the extra only that raises.
"""

from tacita.engines.spark.engine import SparkEngine

__all__ = ["SparkEngine"]
