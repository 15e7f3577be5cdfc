"""What is sent and replied, as OpenAPI describes it. Figures are decimal text, so that none is rounded on the way."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

LONGEST_QUESTION = 20_000
_Amount = Annotated[str, Field(max_length=30)] | float


class QuestionBody(BaseModel):
    """A question."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    sql: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION, description="The question.")]
    epsilon: _Amount | None = Field(None, description="What to pay for a private answer, in its currency.")
    accuracy: _Amount | None = Field(None, description="How far figures may be away (95 %).")


class FigureBody(BaseModel):
    """One figure."""

    status: str = Field(description="exact, interval, noisy or refused")
    value: str | None
    lower: str | None
    upper: str | None
    error: str | None


class RowBody(BaseModel):
    """The figures of one group."""

    group: list[str | None] = Field(description="Labels; null in a row of totals: all values are together.")
    figures: list[FigureBody]


class AnswerBody(BaseModel):
    """An answer; a refusal is one whose status is 'refused'."""

    database: str
    number: int
    question: str
    status: str = Field(description="answered, partly or refused")
    sentence: str
    groups: list[str]
    names: list[str]
    rows: list[RowBody]
    guarantee: str
    cost: dict[str, str]
    left: dict[str, str]
    repeated: bool


class PriceBody(BaseModel):
    """What a question would cost."""

    question: str
    names: list[str]
    cost: dict[str, str]
    left: dict[str, str]
    errors: list[str | None]
    repeated: bool


class HistoryAnswerBody(AnswerBody):
    """An answer, and who asked."""

    analyst: str


class HistoryBody(BaseModel):
    """What was asked, oldest first."""

    database: str
    analyst: str | None
    left: dict[str, str]
    answers: list[HistoryAnswerBody]


class AttributeBody(BaseModel):
    """An attribute with its labels."""

    attribute: str
    labels: list[str]


class MeasureBody(BaseModel):
    """A measure, what may be asked of it, and the bounds that everybody knows."""

    attribute: str
    lower: str
    upper: str
    decimals: int
    statistics: list[str]


class JoinBody(BaseModel):
    """A join, and its key."""

    name: str
    key: str


class DescriptionBody(BaseModel):
    """What may be asked of a data set."""

    name: str
    answers: str
    guarantee: str
    filters: list[AttributeBody]
    regressors: list[AttributeBody]
    unlisted: list[str] = Field(description="Attributes to group by, whose labels are confidential.")
    measures: list[MeasureBody]
    joins: list[JoinBody]
    budget: dict[str, str]


class DatabasesBody(BaseModel):
    """The data sets that are served."""

    databases: list[str]
    role: str
    name: str


class IndependentBody(BaseModel):
    """How many independent sums were answered of a measure, and how many groups of records questions tell apart."""

    measure: str | None
    sums: int
    classes: int
    share: float = Field(description="Independent sums over records.")


class MultiplierBody(BaseModel):
    """An answer by its number among all questions, and its factor."""

    q: int
    factor: str


class InferredSumBody(BaseModel):
    """A sum that nobody asked for and that follows from answers."""

    measure: str | None
    power: int
    contributors: int
    records: int
    multipliers: list[MultiplierBody]
    selection: str | None = Field(description="Which records, by their labels, where that takes few words.")
    formula: str
    holds: bool = Field(description="Whether it obeys the rules.")
    broken: list[str]


class InferredBoundBody(BaseModel):
    """Between which figures a sum is, by answers and declared bounds."""

    measure: str | None
    contributors: int
    records: int
    lower: str
    upper: str
    share: float = Field(description="The width over that without any answer.")


class InferredBody(BaseModel):
    """What follows from the answers of one analyst, or of everybody together (null)."""

    analyst: str | None
    sums: list[InferredSumBody]
    count: int
    bounds: list[InferredBoundBody]
    notes: list[str]


class WidthsBody(BaseModel):
    """How wide intervals were, as shares of the figure in their middle, and how many insiders they withstand."""

    intervals: int
    least: float | None
    median: float | None
    largest: float | None
    insiders: int


class AccountBody(BaseModel):
    """What an analyst asked, got, and paid."""

    analyst: str
    questions: int
    answered: int
    refused: int
    telling_refusals: int
    spent: dict[str, str]


class ObjectionBody(BaseModel):
    """Why something was refused."""

    model_config = ConfigDict(extra="allow")

    rule: str
    sentence: str
    labels: list[list[str | None]]
    """The groups that it is about, if the question has several."""


class AskedBody(BaseModel):
    """A question as the ledger has it; `q` is its number among all questions, by which reasons name it."""

    q: int
    entry: int
    time: str
    analyst: str
    number: int
    decision: str
    question: str
    objections: list[ObjectionBody]


class AuditBody(BaseModel):
    """Everything that was asked, with reasons; it is internal."""

    database: str
    records: int
    cells: int
    answers: str
    guarantee: str
    released: int
    refused: int
    independent: list[IndependentBody]
    most_sums: int | None
    inferred: list[InferredBody]
    widths: WidthsBody | None
    analysts: list[AccountBody]
    most_refusals: int | None
    spent: dict[str, str]
    caps: dict[str, str]
    analyst_caps: dict[str, str]
    questions: list[AskedBody]
    notes: list[str]


class FaultBody(BaseModel):
    """What is wrong, and what to do."""

    code: str
    message: str
    do: str


class ErrorBody(BaseModel):
    """The one shape of errors."""

    error: FaultBody


class HealthBody(BaseModel):
    """Whether the service answers."""

    status: str
    version: str
