"""Wire shapes of annotations that Grafana queries."""

from pydantic import BaseModel, Field


class GrafanaAnnotationOut(BaseModel):
    """An annotation, with the columns that annotation queries of Grafana expect."""

    time: int = Field(description="milliseconds since 1970")
    timeEnd: int | None = Field(description="milliseconds since 1970; null: one point in time")  # noqa: N815 - Grafana's name
    title: str
    text: str
    tags: str = Field(description="separated by commas: the kind, `service:…` and `environment:…`")
    url: str


class GrafanaAnnotationList(BaseModel):
    """Annotations, oldest first."""

    items: list[GrafanaAnnotationOut]
