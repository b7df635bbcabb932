"""Campaigns: the runs of a plan on the workers of a Dask cluster, in place of processes of this machine."""

from windtunnel.campaign.cluster import Campaign, connected, local
from windtunnel.campaign.dispatch import Deadly
from windtunnel.campaign.errors import CampaignError
from windtunnel.campaign.fitness import Needs

__all__ = ["Campaign", "CampaignError", "Deadly", "Needs", "connected", "local"]
