from __future__ import annotations

import copy
import json
import pickle

from bayesfloor.base.cautions import Caution


def test_a_caution_is_its_text_and_keeps_its_headline() -> None:
    note = Caution("Possible leak", "The column 'a' determines the label.")
    assert note == "The column 'a' determines the label."
    assert json.loads(json.dumps([note])) == [str(note)]
    for again in (copy.deepcopy(note), pickle.loads(pickle.dumps(note))):
        assert (again, again.headline) == (note, "Possible leak")
