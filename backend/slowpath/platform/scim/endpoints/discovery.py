"""What this service supports: its configuration, resource types and schemas."""

from fastapi import APIRouter
from scim2_models import URI, Meta, Reference, ResourceType, Schema, ServiceProviderConfig

from slowpath.core.errors import NotFound
from slowpath.platform.accounts.access import MayProvision
from slowpath.platform.http.scim_errors import ScimResponse
from slowpath.platform.scim.endpoints.scim_messages import Home, answer, answer_list, document_scim
from slowpath.platform.scim.schemas import BASE_PATH, PROVIDER

router = APIRouter(prefix=BASE_PATH, tags=["scim"], default_response_class=ScimResponse)


@router.get("/ServiceProviderConfig", operation_id="scim-discovery:config", responses=document_scim(200))
def get_config(_caller: MayProvision, home: Home) -> ScimResponse:
    """Return which parts of SCIM this service supports."""
    config = PROVIDER.config or ServiceProviderConfig()
    location = Reference[URI](f"{home}{BASE_PATH}/ServiceProviderConfig")
    return answer(config.model_copy(update={"meta": Meta(resource_type="ServiceProviderConfig", location=location)}))


@router.get("/ResourceTypes", operation_id="scim-discovery:resource-types", responses=document_scim(200))
def list_resource_types(_caller: MayProvision) -> ScimResponse:
    """List the resource types: users and groups."""
    return answer_list(ResourceType, PROVIDER.resource_types, total=len(PROVIDER.resource_types))


@router.get("/ResourceTypes/{name}", operation_id="scim-discovery:resource-type", responses=document_scim(200))
def get_resource_type(_caller: MayProvision, name: str) -> ScimResponse:
    """Return one resource type."""
    found = next((one for one in PROVIDER.resource_types if one.id == name), None)
    if found is None:
        raise NotFound("There is no such resource type.")
    return answer(found)


@router.get("/Schemas", operation_id="scim-discovery:schemas", responses=document_scim(200))
def list_schemas(_caller: MayProvision) -> ScimResponse:
    """List the schemas of users and groups."""
    return answer_list(Schema, PROVIDER.schemas, total=len(PROVIDER.schemas))


@router.get("/Schemas/{name}", operation_id="scim-discovery:schema", responses=document_scim(200))
def get_schema(_caller: MayProvision, name: str) -> ScimResponse:
    """Return one schema."""
    found = next((one for one in PROVIDER.schemas if one.id == name), None)
    if found is None:
        raise NotFound("There is no such schema.")
    return answer(found)
