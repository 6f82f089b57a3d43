"""The trainings of bench/cases/training.ts in PyTorch: the same weights, the same data, the same arithmetic."""
import torch
import torch.nn.functional as F
from torch import nn, optim

from pytorch_waves import wave, whole

VOCABULARY = 75
TABLES = [5, 7, 8]


def set_weights(model):
    with torch.no_grad():
        for seed, (name, parameter) in enumerate(model.named_parameters(), 1):
            if parameter.dim() > 1:
                fan = parameter.numel() / parameter.size(0)
                parameter.copy_(wave(list(parameter.shape), seed, 1 / fan**0.5))
            elif name.endswith("bias"):
                parameter.zero_()


def training(optimizer, loss_of, clipped=None):
    def step():
        # 1.13 fills with zeros unless told so.
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of()
        loss.backward()
        if clipped is not None:
            nn.utils.clip_grad_norm_(clipped, 1)
        optimizer.step()
        return loss

    return step


def linear():
    model = nn.Linear(10, 5)
    set_weights(model)
    x, target = wave([3, 10], 101), wave([3, 5], 102)
    criterion = nn.MSELoss()
    return training(optim.SGD(model.parameters(), lr=0.01), lambda: criterion(model(x), target))


def mlp(batch, width, layers):
    hidden = [layer for _ in range(layers) for layer in (nn.Linear(width, width), nn.ReLU())]
    model = nn.Sequential(*hidden, nn.Linear(width, 10))
    set_weights(model)
    x, target = wave([batch, width], 101), whole([batch], 10)
    return training(optim.Adam(model.parameters(), lr=1e-3), lambda: F.cross_entropy(model(x), target))


def digits(batch):
    def block(before, after):
        return nn.Conv2d(before, after, 3, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU()

    model = nn.Sequential(
        *block(1, 32),
        *block(32, 32),
        nn.MaxPool2d(2),
        *block(32, 64),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(256, 10),
    )
    set_weights(model)
    x, target = wave([batch, 1, 8, 8], 101), whole([batch], 10)
    return training(optim.Adam(model.parameters(), lr=2e-3), lambda: F.cross_entropy(model(x), target))


class DLRM(nn.Module):
    def __init__(self):
        super().__init__()
        self.bottom = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 16), nn.ReLU())
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, 16, mode="sum") for rows in TABLES)
        self.top = nn.Sequential(nn.Linear(22, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 1))
        count = len(TABLES) + 1
        self.register_buffer("pairs", torch.tensor([i * count + j for i in range(1, count) for j in range(i)]))

    def forward(self, measures, bags):
        dense = self.bottom(measures)
        looked = [table(indices, offsets) for table, (indices, offsets) in zip(self.tables, bags)]
        vectors = torch.stack([dense, *looked], 1)
        products = vectors.bmm(vectors.transpose(1, 2)).flatten(1)
        return self.top(torch.cat([dense, products.index_select(1, self.pairs)], 1)).squeeze(1)


def bags_of(batch, rows):
    indices, offsets = [], []
    for i in range(batch):
        offsets.append(len(indices))
        indices.extend(range(11 * i % rows + 1))
    return torch.tensor(indices), torch.tensor(offsets)


def dlrm(batch):
    model = DLRM()
    set_weights(model)
    measures, target = wave([batch, 6], 101), wave([batch], 102)
    bags = [bags_of(batch, rows) for rows in TABLES]
    return training(optim.Adam(model.parameters(), lr=2e-3), lambda: F.mse_loss(model(measures, bags), target))


def causal_attention(q, k, v):
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    hidden = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).triu(1)
    scores = torch.matmul(q, k.transpose(-1, -2)) / q.size(-1) ** 0.5
    return torch.matmul(F.softmax(scores.masked_fill(hidden, float("-inf")), -1), v)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.projection = nn.Linear(width, width)

    def forward(self, x):
        n, t, width = x.shape
        q, k, v = self.qkv(x).view(n, t, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        return self.projection(causal_attention(q, k, v).transpose(1, 2).reshape(n, t, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        y = x + self.attention(self.norm1(x))
        return y + self.mlp(self.norm2(y))


class GPT(nn.Module):
    def __init__(self, vocabulary, context, width, heads, layers):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(context, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)

    def forward(self, codes):
        x = self.tokens(codes) + self.positions(torch.arange(codes.size(1)))
        return F.linear(self.norm(self.blocks(x)), self.tokens.weight)


def gpt(batch, context, width, heads, layers):
    model = GPT(VOCABULARY, context, width, heads, layers)
    set_weights(model)
    parameters = list(model.parameters())
    groups = [
        {"params": [parameter for parameter in parameters if parameter.dim() > 1], "weight_decay": 0.1},
        {"params": [parameter for parameter in parameters if parameter.dim() <= 1], "weight_decay": 0},
    ]
    optimizer = optim.AdamW(groups, lr=2e-3, betas=(0.9, 0.99))
    windows = whole([batch, context + 1], VOCABULARY, 31)
    seen, following = windows[:, :-1], windows[:, 1:].flatten()
    return training(optimizer, lambda: F.cross_entropy(model(seen).flatten(0, 1), following), parameters)


TRAININGS = {"linear": linear, "mlp": mlp, "digits": digits, "dlrm": dlrm, "gpt": gpt}
