"""English words that say little about what is asked, and those that say nothing: `do`, `how`; `take`, `many`."""

from __future__ import annotations

_STOP = """
a an and are as at be but by can do does for from had has have how i if in into is it its me my no not of on or our
so such than that the their them then there these they this to was we were what when where which who why will with
you your
"""
_COMMON = """
about above across actually after again all allow allowed allows along already also although always another any
anything appear around ask away back based because become been before begin being below best better between both
bring came carries carry certain come comes could did different done down during each early easy either else enough
entire even ever every everything exactly except far few find full further gave general get gets give given gives go
goes going good got great happen happens having here however important inside instead keep keeps kind know known
later least leave leaves left less let lets like likely little long longer look looks made make makes making many
may maybe mean means might more most much must near necessary need needed needs never new nothing now off often old
once one ones only onto other others otherwise out over own part particular possible probably put puts quite rather
ready really right said same say says see seem seems several shall should since some someone something sometimes
soon still sure take taken takes tell tells themselves thing things think those though three through thus together
too took toward try turn two under until up upon us use used useful using usually various very want wants way ways
well went whatever whenever whether while whole whose wide without work works would yet
"""

STOP_WORDS = frozenset(_STOP.split())
"""Left out of a query that has other words."""

COMMON_WORDS = frozenset(_COMMON.split())
"""Worth COMMON_WEIGHT of other words: in technical text many of them are rare, and still nobody looks for them."""

COMMON_WEIGHT = 0.15
