"""Contact problems on arrays."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import signorini as sg


def sliding_block():
    return np.eye(3) / 2, np.array([-0.1, 0.2, 0.0])


@pytest.mark.parametrize(
    "method",
    [
        "exact",
        "interior-point",
        "newton",
        "nsgs",
        "accelerated-nsgs",
        "block-pgs",
        "pgs",
        "de-saxce",
    ],
)
def test_sliding_block_from_paper(method):
    # r_N = 2 kg · 0.1 m/s; friction at its limit μ r_N; the block slides on at 0.15 m/s.
    W, q = sliding_block()
    solution = sg.solve(W, q, mu=0.5, method=method, tolerance=1e-9)
    assert solution.solved
    assert solution.method == method
    np.testing.assert_allclose(solution.impulses, [0.2, -0.1, 0.0], atol=1e-8)
    np.testing.assert_allclose(solution.velocity, [0.0, 0.15, 0.0], atol=1e-8)
    assert solution.certificate == sg.certify(W, q, 0.5, solution.impulses)


def test_every_method_is_listed_and_named():
    names = sg.methods()
    assert "exact" in names
    assert len(set(names)) == len(names) >= 15
    with pytest.raises(ValueError, match=r"method.*known methods"):
        sg.solve(*sliding_block(), mu=0.5, method="magic")


def test_all_laws_in_one_problem():
    W = np.eye(8)
    q = np.array([-1.0, 0.5, 0.0, 2.0, -3.0, 1.0, 5.0, -0.2])
    laws = [
        sg.Block.contact(1.0),
        sg.Block.joint(2),
        sg.Block.normal(),
        sg.Block.interval(-1, 1),
        sg.Block.interval(0, 1),
    ]
    solution = sg.solve(W, q, blocks=laws)
    assert solution.solved
    # Stick: r = −q where the cone holds it. Joint: −q. Separating: 0. Saturated: −1. Inside: 0.2.
    np.testing.assert_allclose(solution.impulses, [1, -0.5, 0, -2, 3, 0, -1, 0.2], atol=1e-8)
    counts = solution.certificate.counts
    assert (counts["stick"], counts["joint"], counts["open"], counts["bound"], counts["free"]) == (1, 1, 1, 1, 1)


def test_planar_contacts_by_the_number_of_coefficients():
    problem = sg.Problem(np.eye(4), [-1.0, 0.1, 1.0, 0.0], mu=[0.5, 0.5])
    assert [block.rows for block in problem.blocks] == [2, 2]
    np.testing.assert_allclose(problem.solve().impulses, [1.0, -0.1, 0.0, 0.0], atol=1e-8)


@pytest.mark.parametrize("form", [scipy.sparse.csr_matrix, scipy.sparse.csc_array, scipy.sparse.coo_array])
def test_sparse_equals_dense(form):
    problem = sg.Problem.named("stack3")
    dense = sg.Problem(problem.W, problem.q, blocks=problem.blocks)
    sparse = sg.Problem(form(problem.W), problem.q, blocks=problem.blocks)
    np.testing.assert_array_equal(sparse.W, dense.W)
    for one in (dense, sparse):
        solution = one.solve(tolerance=1e-9)
        assert solution.solved
        assert problem.certify(solution.impulses).meets(1e-8)


def test_history_and_guess():
    problem = sg.Problem.named("stack10")
    cold = problem.solve("nsgs", tolerance=1e-6, history=True)
    assert cold.history is not None
    assert len(cold.history["residual"]) > 1
    assert (np.diff(cold.history["iteration"]) >= 0).all()
    assert problem.solve("nsgs", tolerance=1e-6).history is None
    warm = problem.solve("nsgs", tolerance=1e-6, guess=cold.impulses)
    assert warm.effort["iterations"] <= cold.effort["iterations"]


def test_not_converging_is_a_status():
    solution = sg.Problem.named("stack10").solve("pgs", tolerance=1e-12, max_iterations=1)
    assert not solution.solved
    assert solution.status == "unsolved"
    assert solution.residual > 1e-12


def test_problem_files_keep_every_bit(tmp_path):
    problem = sg.Problem.named("wall3x3")
    path = tmp_path / "wall.fcp"
    sg.save_problem(path, problem, name="a wall")
    again = sg.load_problem(path)
    np.testing.assert_array_equal(again.W, problem.W)
    np.testing.assert_array_equal(again.q, problem.q)
    assert again.blocks == problem.blocks
    with pytest.raises(sg.ProblemError):
        sg.load_problem(tmp_path / "missing.fcp")
    path.write_bytes(b"not a problem")
    with pytest.raises(sg.ProblemError):
        sg.load_problem(path)


def test_general_matrices_for_lemke():
    # A linear complementarity problem that is no contact problem: M = [[1, -1], [1, 1]].
    M, q = np.array([[1.0, -1.0], [1.0, 1.0]]), np.array([-1.0, -1.0])
    laws = [sg.Block.normal()] * 2
    with pytest.raises(sg.ProblemError, match="not symmetric"):
        sg.solve(M, q, blocks=laws, method="lemke")
    solution = sg.solve(M, q, blocks=laws, method="lemke", symmetry=None)
    assert solution.solved
    np.testing.assert_allclose(solution.impulses, [1.0, 0.0], atol=1e-12)


def test_catalogue_lists_sizes():
    assert set(sg.problems("small")) < set(sg.problems())
    with pytest.raises(ValueError, match="size"):
        sg.problems("enormous")
