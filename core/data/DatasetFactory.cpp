#include <system_error>

#include "core/data/CifarBinary.h"
#include "core/data/Dataset.h"
#include "core/data/Idx.h"
#include "core/data/ImageFolder.h"
#include "core/data/Subset.h"
#include "core/data/TextureShape.h"

namespace headlight {
namespace {

OpenedSource openSource(const DatasetSpec& spec, Split split) {
  if (spec.kind == "texture-shape") return {valueOrThrow(openTextureShape(spec, split)), false};
  if (spec.kind == "image-folder") return valueOrThrow(openImageFolder(spec, split));
  if (spec.kind == "cifar10") return valueOrThrow(openCifar(spec, split, 10));
  if (spec.kind == "cifar100") return valueOrThrow(openCifar(spec, split, 100));
  if (spec.kind == "idx") return valueOrThrow(openIdx(spec, split));
  throw Failure({ErrorCode::InvalidArgument,
                 "there is no dataset kind \"" + spec.kind +
                     "\"; choose image-folder, cifar10, cifar100, idx or texture-shape",
                 "kind"});
}

void check(const DatasetSpec& spec) {
  if (!(spec.validationFraction >= 0 && spec.validationFraction < 1))
    throw Failure(
        {ErrorCode::InvalidArgument,
         "is " + std::to_string(spec.validationFraction) + "; choose at least 0 and less than 1",
         "validationFraction"});
  for (const auto& [name, most] : {std::pair{"maxSamples", spec.maxSamples},
                                   std::pair{"maxValidationSamples", spec.maxValidationSamples}})
    if (most < 0)
      throw Failure({ErrorCode::InvalidArgument,
                     "is " + std::to_string(most) + "; choose 0 (all) or more", name});
  if (spec.kind != "texture-shape" && spec.path.empty())
    throw Failure({ErrorCode::InvalidArgument, "is empty; name the folder of the dataset", "path"});
}

std::unique_ptr<Dataset> openByKind(const DatasetSpec& spec, Split split) {
  check(spec);
  OpenedSource source = openSource(spec, split);
  const auto labels = labelsOf(*source.dataset);
  const double fraction = source.shareOut ? spec.validationFraction : 0;
  // With nothing to share out, the whole is what the training side of a share of nothing is.
  const auto share =
      stratifiedSplit(labels, fraction, spec.seed, source.shareOut ? split : Split::Train);
  if (share.empty())
    throw Failure({ErrorCode::InvalidArgument,
                   "has no validation pictures of its own and none can be taken from training; set "
                   "validationFraction above 0, with two pictures of a class or more",
                   spec.path.string()});
  const std::int64_t most = split == Split::Train ? spec.maxSamples : spec.maxValidationSamples;
  const auto chosen = limitedSamples(share, labels, most, spec.seed);
  if (chosen.size() == labels.size()) return std::move(source.dataset);
  return std::make_unique<SubsetDataset>(std::move(source.dataset), chosen);
}

}  // namespace

Result<std::unique_ptr<Dataset>> openDataset(const DatasetSpec& spec, Split split) {
  return guarded(spec.path.string(), [&] { return openByKind(spec, split); });
}

std::string detectDatasetKind(const std::filesystem::path& path) {
  std::error_code code;
  if (!std::filesystem::is_directory(path, code)) return "";
  if (const int classes = detectCifar(path); classes > 0) return "cifar" + std::to_string(classes);
  if (looksLikeIdx(path)) return "idx";
  return looksLikeImageFolder(path) ? "image-folder" : "";
}

}  // namespace headlight
