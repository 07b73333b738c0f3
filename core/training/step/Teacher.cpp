// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/Teacher.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <array>

namespace headlight {
namespace {

/// [1, 3, 1, 1] like `images`.
at::Tensor perChannel(const std::array<double, 3>& values, const at::Tensor& images) {
  return at::tensor(at::ArrayRef<double>(values), at::kDouble)
      .to(images.options())
      .view({1, 3, 1, 1});
}

}  // namespace

Teacher::Teacher(std::shared_ptr<Model> model, Preprocessing expects, Preprocessing student,
                 std::vector<std::int64_t> classOrder)
    : m_model(std::move(model)),
      m_expects(expects),
      m_student(student),
      m_classOrder(std::move(classOrder)) {
  m_model->eval();
}

bool Teacher::resizes() const {
  return m_expects.height != m_student.height || m_expects.width != m_student.width;
}

at::Tensor Teacher::adapted(const at::Tensor& images) const {
  at::Tensor given = images;
  if (m_expects.mean != m_student.mean || m_expects.deviation != m_student.deviation) {
    // (x·d_s + m_s − m_t) / d_t as one scale and one shift a channel.
    std::array<double, 3> scale{}, shift{};
    for (std::size_t c = 0; c < 3; ++c) {
      const double deviation = m_expects.deviation[c];
      scale[c] = m_student.deviation[c] / deviation;
      shift[c] = (static_cast<double>(m_student.mean[c]) - m_expects.mean[c]) / deviation;
    }
    given = given * perChannel(scale, given) + perChannel(shift, given);
  }
  if (!resizes()) return given;
  return at::_upsample_bicubic2d_aa(given, {m_expects.height, m_expects.width},
                                    /*align_corners=*/false);
}

at::Tensor Teacher::logits(const at::Tensor& images) {
  const at::NoGradGuard noGrad;
  at::Tensor own = m_model->forward(adapted(images));
  if (m_classOrder.empty()) return own;
  const at::Tensor order = at::tensor(at::ArrayRef<std::int64_t>(m_classOrder), at::kLong);
  return own.index_select(1, order.to(own.device()));
}

}  // namespace headlight
