// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/objects/DiscoverObject.h"

#include <ATen/ATen.h>

#include "core/workbench/objects/ObjectPass.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {

Result<DiscoveredObject> discoverObject(InferenceSession& session, const RawImages& image,
                                        const MaskScheme& masks, const ObjectOptions& options,
                                        std::stop_token stop) {
  return guarded("objects", [&] {
    requireObjectOptions(options);
    DiscoveredObject found;
    withModel(session, [&](Model& model) {
      const int layer = layerOrLast(options.layer, model.layers());
      model.setMasks(masks);
      at::Tensor tokens = model.embed(modelInput(session.info(), image));
      for (int l = 0; l < layer; ++l) {
        throwIfPassStopped(stop);
        tokens = model.block(l, tokens, nullptr);
      }
      found = objectInLayer(model, layer, tokens, options);
    });
    return found;
  });
}

}  // namespace headlight
