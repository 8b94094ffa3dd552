"""tauboost.dask over TLS: every connection encrypted, and none without a certificate."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

import datetime as dt

import dask
import numpy as np
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from distributed import Client, LocalCluster
from distributed.security import Security

import tauboost as tb
import tauboost.dask as td
from dask_parts import pieces
from problems import CASES


@pytest.fixture
def certificate(tmp_path):
    """A key and a certificate it signs for itself: the authority of this cluster."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tauboost tests")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = {"key": tmp_path / "key.pem", "certificate": tmp_path / "certificate.pem"}
    files["certificate"].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files["key"].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return {name: str(path) for name, path in files.items()}


def test_every_round_over_tls(certificate):
    roles = {
        f"tls_{role}_{what}": certificate[file]
        for role in ("client", "scheduler", "worker")
        for what, file in (("key", "key"), ("cert", "certificate"))
    }
    security = Security(require_encryption=True, tls_ca_file=certificate["certificate"], **roles)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        dask.config.set({"distributed.comm.require-encryption": True}),
        LocalCluster(security=security, protocol="tls://", **options) as cluster,
        Client(cluster, security=security, set_as_default=False) as client,
    ):
        assert client.scheduler.address.startswith("tls://")
        solving = {"random_state": 0, "tau": 4, "max_epochs": 3}
        problem = td.DaskProblem(pieces("binary", 2), client=client, n_parts=2)
        assert all(member.address.startswith("tls://") for member in problem.pool.members)
        found = tb.solve(problem, **solving)
        expected = tb.solve(CASES["binary"].problem(), **solving)
        np.testing.assert_allclose(found.lam, expected.lam, atol=1e-8)
        with pytest.raises(TypeError, match="TLS"):
            Client(client.scheduler.address, timeout="2s", set_as_default=False)
