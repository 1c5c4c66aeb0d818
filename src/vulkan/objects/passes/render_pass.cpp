// SPDX-License-Identifier: MIT
#include "vulkan/objects/passes/render_pass.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <span>

#include "vulkan/device/device.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan {
namespace {

RenderPass::Reference reference(std::uint32_t attachment) {
  return attachment == VK_ATTACHMENT_UNUSED ? std::nullopt : std::optional(attachment);
}

AttachmentLayout layout_of(const VkAttachmentReference& r) { return {r.layout, r.layout}; }
AttachmentLayout layout_of(const VkAttachmentReference2& r) {
  const auto* stencil =
      find_in_chain<VkAttachmentReferenceStencilLayout>(r.pNext, VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT);
  return {r.layout, stencil != nullptr ? stencil->stencilLayout : r.layout};
}

/// The layouts before and after the pass.
void set_layouts(const VkAttachmentDescription& from, RenderPass::Attachment& to) {
  to.initial = {from.initialLayout, from.initialLayout};
  to.final = {from.finalLayout, from.finalLayout};
}
void set_layouts(const VkAttachmentDescription2& from, RenderPass::Attachment& to) {
  to.initial = {from.initialLayout, from.initialLayout};
  to.final = {from.finalLayout, from.finalLayout};
  if (const auto* stencil = find_in_chain<VkAttachmentDescriptionStencilLayout>(
          from.pNext, VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT)) {
    to.initial.stencil = stencil->stencilInitialLayout;
    to.final.stencil = stencil->stencilFinalLayout;
  }
}

RenderPass::Dependency dependency_of(const VkSubpassDependency& d) {
  return {d.srcSubpass, d.dstSubpass, d.srcStageMask, d.dstStageMask, d.srcAccessMask, d.dstAccessMask};
}
RenderPass::Dependency dependency_of(const VkSubpassDependency2& d) {
  if (const auto* b = find_in_chain<VkMemoryBarrier2>(d.pNext, VK_STRUCTURE_TYPE_MEMORY_BARRIER_2))
    return {d.srcSubpass, d.dstSubpass, b->srcStageMask, b->dstStageMask, b->srcAccessMask, b->dstAccessMask};
  return {d.srcSubpass, d.dstSubpass, d.srcStageMask, d.dstStageMask, d.srcAccessMask, d.dstAccessMask};
}

/// Both generations of structures have the same names.
template <typename Description>
RenderPass::Subpass subpass_of(const Description& from) {
  RenderPass::Subpass to;
  to.dithers = (from.flags & VK_SUBPASS_DESCRIPTION_ENABLE_LEGACY_DITHERING_BIT_EXT) != 0;
  for (std::uint32_t i = 0; i < from.colorAttachmentCount; ++i)
    to.colors.push_back(reference(from.pColorAttachments[i].attachment));
  if (from.pResolveAttachments != nullptr)
    for (std::uint32_t i = 0; i < from.colorAttachmentCount; ++i)
      to.resolves.push_back(reference(from.pResolveAttachments[i].attachment));
  if (from.pDepthStencilAttachment != nullptr) to.depth_stencil = reference(from.pDepthStencilAttachment->attachment);
  const auto use = [&](const auto* references, std::uint32_t count) {
    for (std::uint32_t i = 0; references != nullptr && i < count; ++i)
      if (references[i].attachment != VK_ATTACHMENT_UNUSED)
        to.uses.push_back({references[i].attachment, layout_of(references[i])});
  };
  use(from.pColorAttachments, from.colorAttachmentCount);
  use(from.pResolveAttachments, from.colorAttachmentCount);
  use(from.pInputAttachments, from.inputAttachmentCount);
  use(from.pDepthStencilAttachment, 1);
  return to;
}

void take_shading_rate(const void* chain, RenderPass::Subpass& to) {
  const auto* rate = find_in_chain<VkFragmentShadingRateAttachmentInfoKHR>(
      chain, VK_STRUCTURE_TYPE_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR);
  if (rate == nullptr || rate->pFragmentShadingRateAttachment == nullptr) return;
  to.shading_rate = reference(rate->pFragmentShadingRateAttachment->attachment);
  to.shading_rate_texel = rate->shadingRateAttachmentTexelSize;
  if (to.shading_rate) to.uses.push_back({*to.shading_rate, layout_of(*rate->pFragmentShadingRateAttachment)});
}

}  // namespace

std::uint32_t samples_of(const void* chain) {
  const auto* many = find_in_chain<VkMultisampledRenderToSingleSampledInfoEXT>(
      chain, VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT);
  if (many == nullptr || many->multisampledRenderToSingleSampledEnable == VK_FALSE) return 0;
  const auto samples = static_cast<std::uint32_t>(many->rasterizationSamples);
  return samples > 1 && samples <= kMaxSamples && std::has_single_bit(samples) ? samples : 0;
}

namespace {

template <typename Info>
std::unique_ptr<RenderPass> pass_of(const Info& info) {
  auto pass = std::make_unique<RenderPass>();
  for (const auto& a : std::span(info.pAttachments, info.attachmentCount)) {
    RenderPass::Attachment& to = pass->attachments.emplace_back();
    to = {.format = a.format,
          .resolves_encoded = (a.flags & VK_ATTACHMENT_DESCRIPTION_RESOLVE_SKIP_TRANSFER_FUNCTION_BIT_KHR) != 0,
          .load = a.loadOp,
          .stencil_load = a.stencilLoadOp,
          .store = a.storeOp,
          .stencil_store = a.stencilStoreOp,
          .initial = {},
          .final = {}};
    set_layouts(a, to);
  }
  for (const auto& d : std::span(info.pDependencies, info.dependencyCount))
    pass->dependencies.push_back(dependency_of(d));
  for (const auto& s : std::span(info.pSubpasses, info.subpassCount)) pass->subpasses.push_back(subpass_of(s));
  return pass;
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateRenderPass(VkDevice, const VkRenderPassCreateInfo* pCreateInfo,
                                                const VkAllocationCallbacks*, VkRenderPass* pRenderPass) {
  return guarded([&] {
    auto pass = pass_of(*pCreateInfo);
    if (const auto* views = find_in_chain<VkRenderPassMultiviewCreateInfo>(
            pCreateInfo->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO))
      for (std::size_t i = 0; i < pass->subpasses.size() && i < views->subpassCount; ++i)
        pass->subpasses[i].view_mask = views->pViewMasks[i];
    *pRenderPass = to_handle(pass.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR VkResult VKAPI_CALL CreateRenderPass2(VkDevice, const VkRenderPassCreateInfo2* pCreateInfo,
                                                 const VkAllocationCallbacks*, VkRenderPass* pRenderPass) {
  return guarded([&] {
    auto pass = pass_of(*pCreateInfo);
    for (std::size_t i = 0; i < pass->subpasses.size(); ++i) {
      const VkSubpassDescription2& from = pCreateInfo->pSubpasses[i];
      RenderPass::Subpass& to = pass->subpasses[i];
      to.view_mask = from.viewMask;
      take_shading_rate(from.pNext, to);
      to.samples = samples_of(from.pNext);
      const auto* resolve = find_in_chain<VkSubpassDescriptionDepthStencilResolve>(
          from.pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
      if (resolve == nullptr) continue;
      to.depth_resolve = resolve->depthResolveMode;
      to.stencil_resolve = resolve->stencilResolveMode;
      if (resolve->pDepthStencilResolveAttachment == nullptr) continue;
      to.depth_stencil_resolve = reference(resolve->pDepthStencilResolveAttachment->attachment);
      if (to.depth_stencil_resolve)
        to.uses.push_back({*to.depth_stencil_resolve, layout_of(*resolve->pDepthStencilResolveAttachment)});
    }
    *pRenderPass = to_handle(pass.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyRenderPass(VkDevice device, VkRenderPass renderPass, const VkAllocationCallbacks*) {
  destroy(device, from_handle(renderPass));
}
VKAPI_ATTR void VKAPI_CALL GetRenderingAreaGranularity(VkDevice, const VkRenderingAreaInfo*, VkExtent2D* pGranularity) {
  *pGranularity = {1, 1};
}
VKAPI_ATTR void VKAPI_CALL GetRenderAreaGranularity(VkDevice, VkRenderPass, VkExtent2D* pGranularity) {
  *pGranularity = {1, 1};
}

}  // namespace entry
}  // namespace heddle::vulkan
