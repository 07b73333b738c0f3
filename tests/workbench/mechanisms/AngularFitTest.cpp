// SPDX-License-Identifier: GPL-3.0-or-later

// The network that fits the angular kernel: its errors beside a naive Fourier transform, the order
// in which frequencies are learned, and what is refused.

#include "core/workbench/mechanisms/AngularFit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "core/workbench/figures/AngularFigure.h"

namespace headlight {
namespace {

AngularFit quickFit(AngularTarget target, std::uint64_t seed = 1, int steps = 400) {
  return valueOrThrow(fitAngularKernel({target, 24, steps, 0.003, seed}));
}

/// Over a whole turn, there and back.
std::complex<double> naiveFrequency(const std::vector<double>& half, int frequency) {
  std::vector<double> turn(half);
  turn.insert(turn.end(), half.rbegin(), half.rend());
  const double count = static_cast<double>(turn.size());
  std::complex<double> sum = 0;
  for (std::size_t i = 0; i < turn.size(); ++i)
    sum += turn[i] * std::polar(1.0, -2 * M_PI * frequency * (double(i) + 0.5) / count);
  return sum / count;
}

TEST(AngularFit, ErrorsAreThoseOfANaiveTransform) {
  for (const AngularTarget target : {AngularTarget::Kernel, AngularTarget::Residual}) {
    const AngularFit fit = quickFit(target);
    ASSERT_EQ(fit.angles.size(), 256u);
    ASSERT_EQ(fit.steps.size(), 120u);
    EXPECT_EQ(fit.steps.front(), 1);
    EXPECT_EQ(fit.steps.back(), 400);
    double squares = 0;
    for (std::size_t i = 0; i < fit.fit.size(); ++i) {
      EXPECT_NEAR(fit.kernel[i], 1 - fit.angles[i] / M_PI, 1e-12);
      squares += (fit.fit[i] - fit.kernel[i]) * (fit.fit[i] - fit.kernel[i]) / 256;
    }
    EXPECT_NEAR(fit.losses.back(), squares, 1e-12);
    for (std::size_t f = 0; f < fit.frequencies.size(); ++f) {
      const auto own = naiveFrequency(fit.kernel, fit.frequencies[f]);
      const auto other = naiveFrequency(fit.fit, fit.frequencies[f]);
      // Of the triangle wave: 4/(πn)² in front of cos nθ, half of it on either side.
      EXPECT_NEAR(std::abs(own), 2 / std::pow(M_PI * fit.frequencies[f], 2), 1e-4);
      EXPECT_NEAR(fit.error(f, 119), std::abs(other - own) / std::abs(own), 1e-9);
    }
  }
}

/// The first recorded step after which a frequency stays within half of itself.
std::size_t learnedAt(const AngularFit& fit, std::size_t frequency) {
  std::size_t at = fit.steps.size();
  while (at > 0 && fit.error(frequency, at - 1) < 0.5)
    --at;
  return at;
}

TEST(AngularFit, LowFrequenciesAreLearnedFirst) {
  for (const AngularTarget target : {AngularTarget::Kernel, AngularTarget::Residual}) {
    const AngularFit fit = quickFit(target, 0, 1500);
    EXPECT_LE(learnedAt(fit, 0), learnedAt(fit, 1));
    EXPECT_LT(learnedAt(fit, 1), fit.steps.size());
    EXPECT_LT(learnedAt(fit, 1), learnedAt(fit, 3));
    EXPECT_GT(fit.error(9, 119), 0.5);  // the highest is not
    EXPECT_LT(fit.losses.back(), 0.1 * fit.losses.front());
  }
}

TEST(AngularFit, WithTheLinearTermsTheLowestIsNearlyThere) {
  const auto untrained = [](AngularTarget target) {
    return valueOrThrow(fitAngularKernel({target, 24, 1, 1e-6, 3}));
  };
  const AngularFit whole = untrained(AngularTarget::Kernel);
  const AngularFit rest = untrained(AngularTarget::Residual);
  EXPECT_GT(whole.error(0, 0), 0.7);
  EXPECT_NEAR(rest.error(0, 0), 1 - M_PI / 4, 0.15);  // 1/π of 4/π²
  EXPECT_GT(whole.losses.front(), 10 * rest.losses.front());
}

TEST(AngularFit, ASeedSaysAll) {
  EXPECT_EQ(quickFit(AngularTarget::Kernel, 4).fit, quickFit(AngularTarget::Kernel, 4).fit);
  EXPECT_NE(quickFit(AngularTarget::Kernel, 4).fit, quickFit(AngularTarget::Kernel, 5).fit);
}

TEST(AngularFit, ProgressIsToldAndItCanBeStopped) {
  std::stop_source stop;
  int reported = 0;
  const auto fit = fitAngularKernel(
      {AngularTarget::Kernel, 24, 100000, 0.003, 1},
      [&](const Progress& progress) {
        EXPECT_EQ(progress.total, 100000);
        if (++reported == 3) stop.request_stop();
      },
      stop.get_token());
  ASSERT_FALSE(fit);
  EXPECT_EQ(fit.error().code, ErrorCode::Canceled);
  EXPECT_EQ(reported, 3);
}

TEST(AngularFit, OptionsOutOfRangeAreRefused) {
  for (const AngularFitOptions& options : {AngularFitOptions{.hidden = 0},
                                           {.hidden = 1025},
                                           {.steps = 0},
                                           {.steps = 100001},
                                           {.rate = 0},
                                           {.rate = NAN}})
    EXPECT_EQ(fitAngularKernel(options).error().code, ErrorCode::InvalidArgument);
  EXPECT_FALSE(angularTargetFromName("all"));
  EXPECT_EQ(*angularTargetFromName("residual"), AngularTarget::Residual);
}

TEST(AngularFit, CsvAndWordsHaveItsNumbers) {
  const AngularFit fit = quickFit(AngularTarget::Kernel);
  const std::string csv = fitCsv(fit);
  const auto lines = std::count(csv.begin(), csv.end(), '\n');
  EXPECT_EQ(lines, 1 + 3 * 256 + 120 + 10 * 120);
  EXPECT_EQ(csv.substr(0, 38), "part,line,x,value\ncurve,kernel,0.35156");
  EXPECT_NE(fitText(fit).find("after 400 steps"), std::string::npos);
  ASSERT_EQ(fitDrawing(fit).images.size(), 1u);
  EXPECT_GT(fitDrawing(fit).images[0].y, 800);  // below the two plots
}

}  // namespace
}  // namespace headlight
