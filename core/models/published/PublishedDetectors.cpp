// SPDX-License-Identifier: GPL-3.0-or-later

// Published.h: the published sizes of Castling-ViT's detectors, and of PP-PicoDet's networks, which
// they are made of, for COCO's 80 classes; the classifiers that start them, for 1,000.

#include "core/config/ExperimentTask.h"
#include "core/models/published/DetectorSizes.h"
#include "core/models/published/Published.h"

namespace headlight {
namespace {

const std::string kDetectorTable = "Castling-ViT, §4.2 to 4.4";
const std::string kDetectorNote =
    "The paper's GMACs count normalizations and activations too; here are those of products.";

std::string detectorTitle(const std::string& trunk) {
  return std::string(trunk.starts_with("lcnet") ? "LCNet" : "ESNet") +
         (trunk.ends_with("_vit") ? "-ViT" : "");
}

/// "s", "m" or "l" at so many pixels.
struct DetectorShape {
  const char* size;
  int pixels;
};

PublishedModel detector(const std::string& prefix, const std::string& backbone,
                        const DetectorShape& shape, double parametersM, double macsG) {
  const std::string size = shape.size;
  PublishedModel model;
  model.name = prefix + backbone + "_" + size + "_" + std::to_string(shape.pixels);
  model.config.name = model.name;
  model.config.backbone = backbone;
  model.config.imageSize = shape.pixels;
  model.config.classes = 80;
  model.config.cropMode = "squash";
  model.config.cropFraction = 1;
  model.config.layout["size"] = size;
  deriveDetector(model.config);
  model.description = detectorTitle(backbone) + "-" + size + ": detects objects";
  model.publishedParametersM = parametersM;
  model.publishedMacsG = macsG;
  if (parametersM > 0) model.source = kDetectorTable, model.note = kDetectorNote;
  return model;
}

PublishedModel softmaxDetector(const std::string& backbone, const DetectorShape& shape,
                               double parametersM = 0, double macsG = 0) {
  return detector("", backbone, shape, parametersM, macsG);
}

/// As published: the auxiliary branch helps training and inference goes without it.
PublishedModel castlingDetector(const std::string& backbone, const DetectorShape& shape,
                                double parametersM, double macsG) {
  PublishedModel model = detector("castling_", backbone, shape, parametersM, macsG);
  model.description += ", with linear-angular attention";
  model.config.mechanism = "linear_angular";
  model.config.attention["without_branch"] = true;
  return model;
}

/// As Castling-ViT's Tables 6 and 7 compare with it.
PublishedModel plainDetector(const std::string& backbone, const DetectorShape& shape,
                             double parametersM = 0, double macsG = 0) {
  PublishedModel model = detector("", backbone, shape, parametersM, macsG);
  model.description += ", without attention";
  return model;
}

/// PP-PicoDet, as its first version is released.
PublishedModel picoDetector(const DetectorShape& shape, double parametersM) {
  PublishedModel model = plainDetector("esnet", shape, parametersM);
  model.source = "PP-PicoDet (Yu et al. 2021)";
  model.note = "Without the squeeze and excitation of its head, which came later.";
  return model;
}

PublishedModel trunkClassifier(const std::string& trunk, const std::string& size,
                               double parametersM = 0, double macsG = 0) {
  PublishedModel model;
  model.config.backbone = trunk + kClassifierEnding;
  model.name = model.config.backbone + "_" + size + "_224";
  model.config.name = model.name;
  model.config.imageSize = 224;
  model.config.classes = 1000;
  model.config.cropFraction = 0.875;
  model.config.layout["size"] = size;
  deriveDetector(model.config);
  model.description =
      detectorTitle(trunk) + "-" + size + ": classifies; its weights start the detector";
  model.publishedParametersM = parametersM;
  model.publishedMacsG = macsG;
  if (parametersM > 0) model.source = "PP-LCNet (Cui et al. 2021), Table 3";
  return model;
}

}  // namespace

std::vector<PublishedModel> detectorModels() {
  return {
      softmaxDetector("lcnet_vit", {"s", 320}, 2.14, 0.69),
      softmaxDetector("lcnet_vit", {"m", 416}, 7.53, 3.51),
      softmaxDetector("lcnet_vit", {"l", 416}),
      softmaxDetector("esnet_vit", {"s", 320}),
      softmaxDetector("esnet_vit", {"s", 416}),
      softmaxDetector("esnet_vit", {"m", 416}),
      softmaxDetector("esnet_vit", {"l", 416}),
      castlingDetector("lcnet_vit", {"s", 320}, 2.14, 0.62),
      castlingDetector("lcnet_vit", {"m", 416}, 7.53, 3.15),
      castlingDetector("lcnet_vit", {"l", 416}, 13.10, 5.31),
      castlingDetector("esnet_vit", {"s", 320}, 3.25, 0.62),
      castlingDetector("esnet_vit", {"s", 416}, 3.25, 1.06),
      castlingDetector("esnet_vit", {"m", 416}, 6.01, 2.00),
      castlingDetector("esnet_vit", {"l", 416}, 9.32, 3.03),
      plainDetector("lcnet", {"s", 320}, 1.10, 0.48),
      plainDetector("lcnet", {"m", 416}, 3.32, 2.15),
      plainDetector("lcnet", {"l", 416}),
      picoDetector({"s", 320}, 0.993),
      picoDetector({"m", 416}, 2.153),
      picoDetector({"l", 416}, 3.305),
      trunkClassifier("lcnet", "s", 2.4, 0.099),
      trunkClassifier("lcnet", "m", 4.5, 0.342),
      trunkClassifier("lcnet", "l", 6.5, 0.590),
      trunkClassifier("esnet", "s"),
      trunkClassifier("esnet", "m"),
      trunkClassifier("esnet", "l"),
      trunkClassifier("lcnet_vit", "s"),
      trunkClassifier("lcnet_vit", "m"),
      trunkClassifier("lcnet_vit", "l"),
      trunkClassifier("esnet_vit", "s"),
      trunkClassifier("esnet_vit", "m"),
      trunkClassifier("esnet_vit", "l"),
  };
}

}  // namespace headlight
