#pragma once
// A mask for every head of every layer, and the presets of the paper.

#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/masks/HeadMask.h"

namespace headlight {

/// The heads of every layer of a model. Layers from `maskableLayers` on have no logits on a grid
/// (class attention): their cells stay `none`.
struct MaskShape {
  /// All layers can be masked: said, never meant by leaving a number out.
  explicit MaskShape(std::vector<int> headsPerLayer)
      : heads(std::move(headsPerLayer)), maskableLayers(static_cast<int>(heads.size())) {}
  MaskShape(std::vector<int> headsPerLayer, int maskable)
      : heads(std::move(headsPerLayer)), maskableLayers(maskable) {}
  bool operator==(const MaskShape&) const = default;
  std::vector<int> heads;
  int maskableLayers;
};

class MaskScheme {
 public:
  MaskScheme() = default;
  /// All heads unmasked.
  explicit MaskScheme(MaskShape shape, std::string name = "none");
  MaskScheme(int layers, int heads, std::string name = "none");

  int layers() const { return static_cast<int>(m_cells.size()); }
  int heads(int layer) const { return static_cast<int>(m_cells[layer].size()); }
  bool contains(int layer, int head) const;
  int maskableLayers() const { return m_maskableLayers; }
  MaskShape shape() const;
  const HeadMask& at(int layer, int head) const { return m_cells[layer][head]; }
  void set(int layer, int head, const HeadMask& mask) { m_cells[layer][head] = mask; }
  const std::vector<HeadMask>& layer(int index) const { return m_cells[index]; }
  int maskedHeads() const;

  /// The preset it came from ("sch2"), with a star once edited ("sch2*").
  const std::string& name() const { return m_name; }
  void setName(std::string name) { m_name = std::move(name); }

  /// Equal cells; the name is not compared.
  bool operator==(const MaskScheme& other) const { return m_cells == other.m_cells; }
  /// The first layer whose cells differ, or that `other` does not have; layers() if there is none.
  int firstDifference(const MaskScheme& other) const;

 private:
  std::string m_name = "none";
  std::vector<std::vector<HeadMask>> m_cells;
  int m_maskableLayers = 0;
};

/// Why the layers that cannot be masked cannot, to stand after a colon: "class attention is never
/// masked". Empty where all can.
std::string whyNotMaskable(const MaskScheme& scheme);

/// Presets of MaiT for the maskable layers of `shape`: none, sch1, sch2, sch3, mixed36, hmait
/// (mixed36: its Fig. 3; hmait: its §5.4). `window` and `alpha` fill the cells they mask. Depths
/// other than the paper's: sch2 takes the first third and all but the last sixth; sch3 the first
/// 7/8; mixed36 the first third; hmait all heads of every stage but the last two, a third of the
/// heads (at least one) of the last but one, and where there is only one stage, each quarter of it
/// as a stage.
const std::vector<std::string>& maskPresetNames();
/// One sentence of what a preset does.
std::string maskPresetHelp(const std::string& name);
Result<MaskScheme> makeMaskPreset(const std::string& name, const MaskShape& shape, int window = 3,
                                  double alpha = 0.5);

}  // namespace headlight
