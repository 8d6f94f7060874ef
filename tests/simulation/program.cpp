#include "simulation/program.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/codec.hpp>

namespace belay::test {
namespace {

// In the order of OpKind; the first `kPlain` have no ops inside.
constexpr OpKind kPlain[] = {OpKind::Step, OpKind::Step,    OpKind::Flaky,     OpKind::Optional,
                             OpKind::Save, OpKind::Book,    OpKind::Book,      OpKind::Sleep,
                             OpKind::Map,  OpKind::Collect, OpKind::Race,      OpKind::Talk,
                             OpKind::Draw, OpKind::Patch,   OpKind::ReceiveFor};
constexpr OpKind kNested[] = {OpKind::Branches, OpKind::Scope, OpKind::Child, OpKind::Start};

}  // namespace

std::vector<Op> ProgramMaker::draw_ops(int depth, bool outermost) {
    std::vector<Op> ops;
    const auto count = 1 + random_.below(outermost ? 6 : 3);
    for (std::uint64_t i = 0; i < count; ++i) ops.push_back(draw_op(depth, outermost));
    return ops;
}

Op ProgramMaker::draw_op(int depth, bool outermost) {
    Op op;
    op.name = fmt::format("op_{}", ++names_);
    op.value = static_cast<std::int64_t>(random_.below(1000));
    if (depth > 0 && random_.below(3) == 0) {
        op.kind = kNested[random_.below(std::size(kNested))];
        if (op.kind != OpKind::Branches) {
            op.inside = draw_ops(depth - 1, false);
            return op;
        }
        const auto branches = random_.below(4);  // none is a fan, too
        for (std::uint64_t i = 0; i < branches; ++i) {
            Op branch;
            branch.kind = OpKind::Scope;
            branch.name = fmt::format("op_{}", ++names_);
            branch.inside = draw_ops(depth - 1, false);
            op.inside.push_back(std::move(branch));
        }
        return op;
    }
    // Only the outermost ops are those of a run whose id the outside knows.
    if (outermost && random_.below(8) == 0) {
        op.kind = OpKind::Receive;
        return op;
    }
    op.kind = kPlain[random_.below(std::size(kPlain))];
    op.count = 1 + static_cast<int>(random_.below(4));
    return op;
}

std::int64_t join(std::int64_t before, std::int64_t value) {
    constexpr std::int64_t kBelow = 1'000'000'007;
    return (before * 31 + value) % kBelow;
}

namespace {

std::int64_t expected_of(const Op& op) {
    std::int64_t sum = 0;
    switch (op.kind) {
        case OpKind::Step:
        case OpKind::Flaky:
        case OpKind::Save:
        case OpKind::Book:
        case OpKind::Race:
        case OpKind::Receive:
        case OpKind::Cached:
        case OpKind::Deadly:
        case OpKind::Tell:
        case OpKind::Undone:
        case OpKind::Paid:
            return op.value;
        case OpKind::Family:
            for (int i = 0; i < family_size(op); ++i) sum += expected_result(family_child(op, i));
            return sum;
        case OpKind::Optional:
            return kNotDone;
        case OpKind::ReceiveFor:
            return kEitherWay;
        case OpKind::Sleep:
        case OpKind::Start:
        case OpKind::Draw:
        case OpKind::Breaks:
            return 0;
        case OpKind::Patch:
            return 1;
        case OpKind::Map:
            for (int i = 0; i < op.count; ++i) sum += op.value + i;
            return sum;
        case OpKind::Collect:  // every second fails
            for (int i = 0; i < op.count; ++i) sum += i % 2 == 0 ? op.value + i : kNotDone;
            return sum;
        case OpKind::Talk:
            return join(op.value, op.value + 1);
        case OpKind::Scope:
        case OpKind::Child:
        case OpKind::Queued:
            return expected_result(op.inside);
        case OpKind::Branches:
            for (const Op& branch : op.inside) sum = join(sum, expected_result(branch.inside));
            return sum;
    }
    return 0;
}

}  // namespace

std::vector<Op> family_child(const Op& family, int number) {
    Op sleep;
    sleep.kind = OpKind::Sleep;
    sleep.name = family.name + "_sleep";
    sleep.count = 1 + number % 3;
    Op step;
    step.name = family.name + "_step";
    step.value = family.value + number;
    return {sleep, step};
}

int family_size(const Op& family) { return 5 + family.count; }

std::int64_t expected_result(const std::vector<Op>& ops) {
    std::int64_t result = 0;
    for (const Op& op : ops) result = join(result, expected_of(op));
    return result;
}

std::int64_t expected_rows(const std::vector<Op>& ops) {
    std::int64_t rows = 0;
    for (const Op& op : ops) {
        if (op.kind == OpKind::Save || op.kind == OpKind::Book) ++rows;
        if (op.kind == OpKind::Scope || op.kind == OpKind::Branches)
            rows += expected_rows(op.inside);
    }
    return rows;
}

bool tells(const std::vector<Op>& ops) {
    return std::any_of(ops.begin(), ops.end(), [](const Op& op) {
        const bool is_inside = op.kind == OpKind::Scope || op.kind == OpKind::Branches;
        return op.kind == OpKind::Tell || (is_inside && tells(op.inside));
    });
}

bool pays(const std::vector<Op>& ops) {
    return std::any_of(ops.begin(), ops.end(),
                       [](const Op& op) { return op.kind == OpKind::Paid || pays(op.inside); });
}

// Few names for many ops; the value is the name's, because branches say theirs in any order.
std::string label_name(const Op& op) { return fmt::format("k{}", op.value % 8); }

namespace {

void add_said(const std::vector<Op>& ops, model::Said& said) {
    for (const Op& op : ops) {
        if (op.kind == OpKind::Scope || op.kind == OpKind::Branches) add_said(op.inside, said);
        if (op.kind != OpKind::Tell) continue;
        said.labels.insert_or_assign(label_name(op), "of " + label_name(op));
        said.exposed.insert_or_assign(op.name, to_json(op.value + 1));
    }
}

}  // namespace

model::Said expected_said(const std::vector<Op>& ops, const std::string& run_id) {
    model::Said said;
    if (tells(ops)) said.exposed.emplace("who", to_json(run_id));
    add_said(ops, said);
    return said;
}

}  // namespace belay::test
